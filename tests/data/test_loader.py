"""Datasets, samplers and the DataLoader's arguments, as a user sees them."""

import copy
import pickle

import numpy as np
import pytest

import chainrule as torch
from chainrule.utils import data


class Squares(data.Dataset):
    def __init__(self, count=5):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if not -self.count <= i < self.count:
            raise IndexError(i)
        return i * i


class Stream(data.IterableDataset):
    def __init__(self, count=5, promised=None):
        self.count = count
        self.promised = count if promised is None else promised

    def __iter__(self):
        return iter(range(self.count))

    def __len__(self):
        return self.promised


# ---- datasets ------------------------------------------------------------------------------------


def test_tensor_dataset():
    rows = data.TensorDataset(torch.eye(3), torch.arange(3))
    assert len(rows) == 3 and torch.equal(rows[1][0], torch.eye(3)[1]) and rows[-1][1] == 2
    assert torch.equal(rows[:2][1], torch.arange(2))
    with pytest.raises(AssertionError, match=r"Size mismatch between tensors.*\[3, 2\]"):
        data.TensorDataset(torch.eye(3), torch.arange(2))


def test_gradients_flow_to_the_rows_of_a_batch():
    weights = torch.arange(4.0, requires_grad=True)
    (batch,) = next(iter(data.DataLoader(data.TensorDataset(weights), batch_size=2)))
    (batch * batch).sum().backward()
    assert weights.grad.tolist() == [0.0, 2.0, 0.0, 0.0]


def test_a_subclass_of_tensor_dataset_keeps_its_own_samples():
    class Doubled(data.TensorDataset):
        def __getitem__(self, i):
            return tuple(2 * t for t in super().__getitem__(i))

    (batch,) = next(iter(data.DataLoader(Doubled(torch.arange(4)), batch_size=4)))
    assert batch.tolist() == [0, 2, 4, 6]
    split = data.Subset(Doubled(torch.arange(4)), [3, 1])
    assert next(iter(data.DataLoader(split, batch_size=2)))[0].tolist() == [6, 2]


def test_concatenation():
    both = Squares(2) + Squares(3)
    assert isinstance(both, data.ConcatDataset) and list(both) == [0, 1, 0, 1, 4]
    assert both[-1] == 4 and len(both) == 5 and both.cumulative_sizes == [2, 5]
    with pytest.raises(ValueError, match="absolute value of index should not exceed"):
        both[-6]
    with pytest.raises(AssertionError, match="should not be an empty iterable"):
        data.ConcatDataset([])
    with pytest.raises(AssertionError, match="ConcatDataset does not support IterableDataset"):
        data.ConcatDataset([Stream()])


def test_chains():
    chain = Stream(2) + Stream(3)
    assert isinstance(chain, data.ChainDataset) and list(chain) == [0, 1, 0, 1, 2]
    assert len(chain) == 5
    with pytest.raises(AssertionError, match="only supports IterableDataset"):
        list(data.ChainDataset([Squares()]))


def test_stacks():
    pairs = data.StackDataset(Squares(), range(5))
    assert pairs[2] == (4, 2) and pairs.__getitems__([1, 3]) == [(1, 1), (9, 3)]
    named = data.StackDataset(square=Squares(), number=range(5))
    assert named[2] == {"square": 4, "number": 2} and len(named) == 5
    assert named.__getitems__([3]) == [{"square": 9, "number": 3}]
    batch = next(iter(data.DataLoader(named, batch_size=2)))
    assert batch["square"].tolist() == [0, 1]
    with pytest.raises(ValueError, match="Size mismatch between datasets"):
        data.StackDataset(Squares(2), Squares(3))
    with pytest.raises(ValueError, match="At least one dataset"):
        data.StackDataset()
    with pytest.raises(ValueError, match="both types are given"):
        data.StackDataset(Squares(), a=Squares())


def test_subsets():
    part = data.Subset(Squares(), [4, 0, 2])
    assert list(part) == [16, 0, 4] and len(part) == 3 and part.__getitems__([0, 2]) == [16, 4]

    class Negated(data.Subset):
        def __getitem__(self, i):
            return -super().__getitem__(i)

    batches = data.DataLoader(Negated(Squares(), [1, 2]), batch_size=2)
    assert next(iter(batches)).tolist() == [-1, -4]


def test_datasets_that_lack_what_they_need_say_so():
    with pytest.raises(NotImplementedError, match="should implement __getitem__"):
        data.Dataset()[0]
    with pytest.raises(NotImplementedError, match="should implement __iter__"):
        iter(data.IterableDataset())
    with pytest.raises(TypeError, match=r"has no len\(\)"):
        len(data.DataLoader(data.Dataset()))


def test_splits_that_do_not_fit():
    with pytest.raises(ValueError, match=r"Sum of input lengths does not equal.*\[3, 4\] sum to 7"):
        data.random_split(Squares(), [3, 4])
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        data.random_split(Squares(), [-0.5, 1.5])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        parts = data.random_split(Squares(2), [0.9, 0.1])
    assert [len(part) for part in parts] == [2, 0]


# ---- samplers ------------------------------------------------------------------------------------


def test_wrong_arguments_of_samplers():
    with pytest.raises(ValueError, match="num_samples should be a positive integer value"):
        data.RandomSampler([])
    with pytest.raises(TypeError, match="replacement should be a boolean value"):
        data.RandomSampler([1], replacement=1)
    with pytest.raises(ValueError, match="weights should be a 1d sequence"):
        data.WeightedRandomSampler([[0.5]], 1)
    with pytest.raises(ValueError, match="batch_size should be a positive integer value"):
        data.BatchSampler(range(3), 0, False)
    with pytest.raises(ValueError, match="drop_last should be a boolean value"):
        data.BatchSampler(range(3), 2, None)
    with pytest.raises(ValueError, match=r"Invalid rank 3, .* in the interval \[0, 2\]"):
        data.DistributedSampler(range(3), num_replicas=3, rank=3)


def test_batch_sampler_lengths():
    numbers = data.SequentialSampler(range(7))
    assert len(data.BatchSampler(numbers, 3, False)) == 3
    assert len(data.BatchSampler(numbers, 3, True)) == 2
    assert list(data.BatchSampler(numbers, 3, True)) == [[0, 1, 2], [3, 4, 5]]


# ---- the loader ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiproc"),
        ({"num_workers": 1, "prefetch_factor": -1}, "prefetch_factor option should be non-neg"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"sampler": [0], "shuffle": True}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[0]], "batch_size": 2}, "batch_sampler option is mutually exclusive"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batch"),
        ({"batch_size": 0}, "batch_size should be a positive integer value"),
        ({"multiprocessing_context": "fork"}, "can only be used with multi-process loading"),
        ({"num_workers": 1, "multiprocessing_context": "x"}, "should specify a valid start meth"),
    ],
)
def test_arguments_that_do_not_go_together(options, phrase):
    with pytest.raises(ValueError, match=phrase):
        data.DataLoader(Squares(), **options)


@pytest.mark.parametrize("option", ["shuffle", "sampler", "batch_sampler"])
def test_an_iterable_dataset_decides_the_order(option):
    with pytest.raises(ValueError, match=f"expected unspecified {option} option"):
        data.DataLoader(Stream(), **{option: True})


def test_odd_contexts_and_timeouts():
    with pytest.raises(TypeError, match="should be a valid context object or a string"):
        data.DataLoader(Squares(), num_workers=1, multiprocessing_context=3)
    with pytest.raises(AssertionError, match="requires timeout == 0"):
        iter(data.DataLoader(Squares(), timeout=1))
    with pytest.raises(AssertionError, match="prefetch_factor must be greater than 0"):
        iter(data.DataLoader(Squares(), num_workers=1, prefetch_factor=0))


def test_what_is_fixed_after_the_start():
    loader = data.DataLoader(Squares(), batch_size=2)
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader"):
        loader.batch_size = 3
    loader.collate_fn = len
    assert list(loader) == [2, 2, 1]


def test_attributes_are_pytorchs():
    loader = data.DataLoader(Squares(), 2, True, num_workers=1, pin_memory=True)
    assert isinstance(loader.sampler, data.RandomSampler)
    assert isinstance(loader.batch_sampler, data.BatchSampler)
    assert loader.collate_fn is data.default_collate and loader.prefetch_factor == 2
    assert loader.multiprocessing_context is None and loader.drop_last is False
    assert len(pickle.loads(pickle.dumps(loader))) == len(copy.copy(loader)) == 3


def test_pin_memory_is_accepted_with_a_word():
    with pytest.warns(UserWarning, match="no accelerator is found"):
        assert len(list(data.DataLoader(Squares(), pin_memory=True))) == 5


def test_too_many_workers_are_pointed_out():
    with pytest.warns(UserWarning, match="will create 1000 worker processes in total"):
        data.DataLoader(Squares(), num_workers=1000)


def test_lengths_of_iterable_datasets():
    loader = data.DataLoader(Stream(5), batch_size=2)
    assert len(loader) == 3 and len(data.DataLoader(Stream(5), batch_size=2, drop_last=True)) == 2
    short = data.DataLoader(Stream(5, promised=2), batch_size=None)
    assert len(short) == 2
    with pytest.warns(UserWarning, match="was reported to be 2"):
        assert len(list(short)) == 5


def test_an_iterator_cannot_be_pickled():
    with pytest.raises(NotImplementedError, match="cannot be pickled"):
        pickle.dumps(iter(data.DataLoader(Squares())))


# ---- collation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("batch", "error", "phrase"),
    [
        ([object()], TypeError, "default_collate: batch must contain tensors.*'object'"),
        ([None], TypeError, "found <class 'NoneType'>"),
        ([1j], TypeError, "found <class 'complex'>"),
        ([np.array("a")], TypeError, "found <U1"),
        ([(1, 2), (3,)], RuntimeError, "(?s)should be of equal size.*2 .number 0., 1"),
        ([torch.ones(2), torch.ones(3)], RuntimeError, "stack expects each tensor to be equal si"),
        ([{"a": 1}, {"b": 1}], KeyError, "a"),
    ],
)
def test_samples_that_do_not_fit_together(batch, error, phrase):
    with pytest.raises(error, match=phrase):
        data.default_collate(batch)


def test_rules_of_ones_own():
    from chainrule.utils.data._utils.collate import collate, default_collate_fn_map

    class Image:
        def __init__(self, name):
            self.name = name

    def names(batch, *, collate_fn_map):
        return "+".join(image.name for image in batch)

    rules = {**default_collate_fn_map, Image: names}
    made = collate([(Image("a"), 1), (Image("b"), 2)], collate_fn_map=rules)
    assert made[0] == "a+b" and made[1].tolist() == [1, 2]


def test_submodules_have_pytorchs_names():
    from chainrule.utils.data._utils.collate import default_collate
    from chainrule.utils.data.dataloader import DataLoader, _MultiProcessingDataLoaderIter
    from chainrule.utils.data.dataset import Subset
    from chainrule.utils.data.distributed import DistributedSampler
    from chainrule.utils.data.sampler import RandomSampler

    assert DataLoader is data.DataLoader and default_collate is data.default_collate
    assert Subset is data.Subset and RandomSampler is data.RandomSampler
    assert DistributedSampler is data.DistributedSampler
    assert _MultiProcessingDataLoaderIter.__name__ == "_MultiProcessingDataLoaderIter"
