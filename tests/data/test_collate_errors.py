"""Samples that do not go together: the error says where they differ, the line and the fix."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.utils.data import DataLoader, Dataset, default_collate

PAD = "torch.nn.utils.rnn.pad_sequence"
OWN = "return the same kind of sample for every index, or pass a collate_fn"

CASES = {
    "shapes": (
        [torch.ones(2), torch.ones(2), torch.ones(3)], RuntimeError,
        "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 2",
        "sample has the shape [2] (number 0), [3] (number 2).", PAD,
    ),
    "shapes inside a tuple": (
        [(torch.ones(2), 1), (torch.ones(3), 2)], RuntimeError, "stack expects each tensor",
        "sample[0] has the shape [2] (number 0), [3] (number 1).", PAD,
    ),
    "shapes inside dicts": (
        [{"x": {"y": np.ones(2)}}, {"x": {"y": np.ones(3)}}], RuntimeError, "stack expects each",
        "sample['x']['y'] has the shape [2] (number 0), [3] (number 1).", PAD,
    ),
    "lengths": (
        [(1, 2), (1,)], RuntimeError, "each element in list of batch should be of equal size",
        "sample has the length 2 (number 0), 1 (number 1).", PAD,
    ),
    "tensor and number": (
        [torch.ones(2), 1.0], TypeError,
        "expected Tensor as element 1 in argument 0, but got float",
        "sample is a tensor of shape [2] (number 0), of type float (number 1).", OWN,
    ),
    "number and tensor": (
        [1.0, torch.ones(2)], ValueError, "only one element tensors can be converted",
        "sample is of type float (number 0), a tensor of shape [2] (number 1).", OWN,
    ),
    "number and text": (
        [1, "a"], TypeError, "new(): invalid data type 'str'",
        "sample is of type int (number 0), of type str (number 1).", OWN,
    ),
    "tensor and None": (
        [(torch.ones(2), 0), (None, 1)], TypeError, "but got NoneType",
        "sample[0] is a tensor of shape [2] (number 0), None (number 1).", OWN,
    ),
    "keys": (
        [{"a": 1}, {"b": 2}], KeyError, "'a'",
        "sample has the key 'a' (number 0), only 'b' (number 1).", OWN,
    ),
    "None": (
        [(1, None), (2, None)], TypeError,
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found",
        "sample[1] is None.", "leave None out of the samples, or put a number in its place",
    ),
    "object": (
        [object()], TypeError, "default_collate: batch must contain tensors",
        "sample is of type object.", "return a number, tensor, array, string",
    ),
    "array of text": (
        [np.array(["a"])], TypeError, "default_collate: batch must contain tensors",
        "sample is an array of shape [1] and type <U1.", "turn text into numbers",
    ),
    "nothing": (
        [], IndexError, "list index out of range", "there are none.", "look at the batch sampler",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_error_says_where_samples_differ(name):
    samples, kind, phrase, what, fix = CASES[name]
    with pytest.raises(kind) as caught:
        default_collate(samples)  # this line
    lines = str(caught.value).split("\n")
    assert phrase in lines[0]
    assert lines[1] == f"  default_collate joins the samples of a batch, but {what}"
    assert "test_collate_errors.py" in lines[2] and "# this line" in lines[2]
    assert lines[3].startswith("  Fix: ") and fix in lines[3]


class Unequal(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return torch.ones(i + 2)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_loader_names_the_users_line_and_no_other(workers):
    with pytest.raises(RuntimeError) as caught:
        for _ in DataLoader(Unequal(), batch_size=2, num_workers=workers):  # this loop
            pass
    text = str(caught.value)
    joined = text[text.index("default_collate joins") :]
    assert "sample has the shape [2] (number 0), [3] (number 1)." in joined and PAD in joined
    if workers:  # where the loop stands is in the traceback of the error that is raised again
        assert text.startswith("Caught RuntimeError in DataLoader worker process 0.")
        assert "\n  at " not in joined
    else:
        assert "test_collate_errors.py" in joined and "# this loop" in joined


def test_errors_of_the_users_own_samples_pass_through():
    class Strange(dict):
        def __getitem__(self, key):
            raise UnicodeDecodeError("utf-8", b"", 0, 1, "odd")

    with pytest.raises(UnicodeDecodeError, match="odd"):
        default_collate([Strange(a=1)])
