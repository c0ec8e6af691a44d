"""Data pipes; the expected values are PyTorch's."""

import copy
import pickle

import pytest

import chainrule as torch
from chainrule.utils.data import DataLoader, IterDataPipe, functional_datapipe
from chainrule.utils.data.datapipes.iter import IterableWrapper
from chainrule.utils.data.datapipes.map import SequenceWrapper

DEEP = [[[1, 2], [3]], [[4]]]


def numbers(n):
    return IterableWrapper(range(n))


def test_the_shuffled_order_is_pytorchs():
    torch.manual_seed(3)
    assert list(numbers(10).shuffle()) == [3, 4, 8, 2, 7, 9, 6, 0, 1, 5]
    small = numbers(10).shuffle(buffer_size=4).set_seed(7)
    assert list(small) == [2, 1, 3, 0, 7, 8, 4, 6, 9, 5]
    assert list(small.set_shuffle(False)) == list(range(10))


def test_functions_of_columns():
    rows = IterableWrapper([(1, 2, 3), (4, 5, 6)])
    assert list(rows.map(lambda a, b: a * b, input_col=[0, 2])) == [(3, 2), (24, 5)]
    assert next(iter(rows.map(lambda a: -a, input_col=1, output_col=-1))) == (1, 2, 3, -2)
    assert list(rows.filter(lambda a: a > 3, input_col=0)) == [(4, 5, 6)]


def test_batches():
    assert list(numbers(7).batch(3, drop_last=True)) == [[0, 1, 2], [3, 4, 5]]
    assert len(numbers(7).batch(2)) == 4
    assert [b.tolist() for b in numbers(4).batch(2).collate()] == [[0, 1], [2, 3]]
    assert list(IterableWrapper(DEEP).unbatch(2)) == [1, 2, 3, 4]
    assert list(IterableWrapper(DEEP).unbatch(-1)) == [1, 2, 3, 4]
    with pytest.raises(IndexError, match="exceeds the depth"):
        list(IterableWrapper(DEEP).unbatch(4))


def test_joined_pipes():
    assert list(numbers(2).zip(IterableWrapper("ab"))) == [(0, "a"), (1, "b")]
    assert list(numbers(2).concat(IterableWrapper([9]))) == [0, 1, 9]


def test_shares():
    pipe = numbers(7).sharding_filter()
    assert list(pipe) == list(range(7))
    pipe.apply_sharding(3, 1)
    assert list(pipe) == [1, 4] and len(pipe) == 2
    with pytest.raises(ValueError, match="should be smaller"):
        pipe.apply_sharding(2, 2)


def test_a_loader_takes_pipes():
    pipe = numbers(5).map(lambda x: x + 1)
    assert [b.tolist() for b in DataLoader(pipe, batch_size=2)] == [[1, 2], [3, 4], [5]]
    mapped = SequenceWrapper([1, 2, 3]).map(lambda v: v * 10)
    assert [b.tolist() for b in DataLoader(mapped, batch_size=2)] == [[10, 20], [30]]


def test_a_stage_of_ones_own_is_a_method_of_all_pipes():
    @functional_datapipe("doubled_in_this_test")
    class Doubled(IterDataPipe):
        def __init__(self, datapipe):
            self.datapipe = datapipe

        def __iter__(self):
            return (2 * x for x in self.datapipe)

    assert list(numbers(3).doubled_in_this_test()) == [0, 2, 4]
    with pytest.raises(Exception, match="already taken"):
        functional_datapipe("doubled_in_this_test")(Doubled)
    with pytest.raises(TypeError, match="can only decorate"):
        functional_datapipe("x")(int)
    with pytest.raises(AttributeError, match="no attribute 'nothing_of_the_kind'"):
        numbers(1).nothing_of_the_kind()


def test_pipes_are_copied_and_pickled():
    pipe = numbers(4).batch(2)
    assert list(copy.deepcopy(pipe)) == list(pickle.loads(pickle.dumps(pipe))) == [[0, 1], [2, 3]]


def test_a_name_that_is_taken_is_refused_at_the_users_line():
    with pytest.raises(Exception, match=r"already taken\n  at test_data_pipes.py:\d+"):

        @functional_datapipe("map")
        class Again(IterDataPipe):
            pass
