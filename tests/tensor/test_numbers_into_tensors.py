"""Python numbers written into tensors: what a type holds, what wraps, and what is refused."""

from __future__ import annotations

import math

import pytest

import chainrule as torch
from chainrule.nn import functional as F

INF, NAN = math.inf, math.nan
MASK, ONE = torch.tensor([True, False]), torch.tensor([0])


def assigned(x, index, value):
    x[index] = value
    return x


WAYS = {
    "fill_": lambda x, v: x.fill_(v),
    "full": lambda x, v: torch.full((2,), v, dtype=x.dtype),
    "full_like": lambda x, v: torch.full_like(x, v),
    "new_full": lambda x, v: x.new_full((2,), v),
    "index": lambda x, v: assigned(x, 0, v),
    "slice": lambda x, v: assigned(x, slice(0, 1), v),
    "mask": lambda x, v: assigned(x, MASK, v),
    "list": lambda x, v: assigned(x, ONE, v),
    "masked_fill": lambda x, v: x.masked_fill(MASK, v),
    "index_fill": lambda x, v: x.index_fill(0, ONE, v),
    "scatter": lambda x, v: x.scatter(0, ONE, v),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("dtype", "value", "held"),
    [
        (torch.uint8, -1, 255), (torch.uint8, -255, 1), (torch.uint8, 2.7, 2),
        (torch.int8, -2.7, -2), (torch.int8, True, 1), (torch.bool, 0.5, True),
        (torch.float16, INF, INF), (torch.int64, 2**62, 2**62),
    ],
)  # fmt: skip
def test_a_type_holds(way, dtype, value, held):
    assert WAYS[way](torch.zeros(2, dtype=dtype), value)[0].item() == held


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (torch.uint8, 256), (torch.uint8, -256), (torch.uint8, -0.5), (torch.int8, 127.5),
        (torch.int16, 1 << 40), (torch.int32, 1e10), (torch.int64, NAN), (torch.int64, INF),
        (torch.float32, 1e39), (torch.float32, 1 + 2j), (torch.int8, 1j),
    ],
)  # fmt: skip
def test_what_a_type_cannot_hold_is_refused(way, dtype, value):
    before = torch.zeros(2, dtype=dtype)
    with pytest.raises(RuntimeError, match=r"without overflow|Converting complex Scalar"):
        WAYS[way](before, value)
    assert torch.equal(before, torch.zeros(2, dtype=dtype))


def test_limits_and_choices_of_integers_are_refused_likewise():
    x = torch.ones(2, dtype=torch.uint8)
    for call in (lambda: x.clamp(max=256), lambda: torch.where(MASK, x, 1 << 40)):
        with pytest.raises(RuntimeError, match="without overflow"):
            call()
    with pytest.raises(RuntimeError, match="without overflow"):
        F.pad(x, (1, 1), value=-1)
    assert x.clamp(max=255).tolist() == [1, 1]


def test_one_value_for_a_mask_is_converted():
    x = torch.zeros(2, 3)
    x[MASK] = torch.tensor(2)
    x[MASK, 1:] = torch.tensor([True])
    assert x.tolist() == [[2, 1, 1], [0, 0, 0]]
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.zeros(2, dtype=torch.uint8)[MASK] = torch.tensor(300)
    with pytest.raises(RuntimeError, match="dtypes match"):  # a list of places does not convert
        x[ONE] = torch.tensor(2)


def test_copy_takes_a_number():
    assert torch.zeros(2, dtype=torch.float64).copy_(2.7).tolist() == [2.7, 2.7]
    assert torch.zeros(2, dtype=torch.uint8).copy_(-1).tolist() == [255, 255]
    with pytest.raises(TypeError, match="must be Tensor"):
        torch.zeros(2).copy_([1.0, 2.0])


def test_floats_outside_of_an_integer_type_become_its_bits_of_32():
    # PyTorch 2.13's values
    x = torch.tensor([1e10, NAN, -1.5, 300.0])
    assert x.to(torch.int32).tolist() == [-(2**31), -(2**31), -1, 300]
    assert x.to(torch.int16).tolist() == [0, 0, -1, 300]
    assert x.to(torch.uint8).tolist() == [0, 0, 255, 44]


# ---- rows of numbers -----------------------------------------------------------------------------


def test_whole_numbers_in_a_row_step_by_whole_numbers():
    # PyTorch 2.13's values: bounds and step are cut before anything is counted ...
    assert torch.arange(0.5, 5.5, 1.5, dtype=torch.int64).tolist() == [0, 1, 2, 3, 4]
    assert torch.arange(0, -8.000001, -4.0, dtype=torch.int64).tolist() == [0, -4]
    assert torch.arange(2.9, 2.95, dtype=torch.int64).tolist() == []
    # ... in 64 bits only; the other types are counted first.
    assert torch.arange(0.5, 5.5, 1.5, dtype=torch.int32).tolist() == [0, 1, 2, 3]
    assert torch.arange(-0.5, 3, dtype=torch.int8).tolist() == [0, 1, 2, 3]
    assert torch.arange(2**53, 2**53 + 3).tolist() == [2**53, 2**53 + 1, 2**53 + 2]
    with pytest.raises(ValueError, match="step must be nonzero"):
        torch.arange(0, 1.5, 0.5, dtype=torch.int64)


def test_spaced_integers_are_cut_at_both_ends_first():
    # PyTorch 2.13's values
    assert torch.linspace(0.5, 9.7, 5, dtype=torch.int64).tolist() == [0, 2, 4, 6, 9]
    assert torch.linspace(4.3, 0, 5, dtype=torch.uint8).tolist() == [4, 3, 2, 1, 0]
    assert torch.logspace(1.5, 3.7, 4, dtype=torch.int64).tolist() == [10, 46, 215, 1000]
    assert torch.logspace(2, 1.2, 2, dtype=torch.int32).tolist() == [100, 10]


def test_spaced_halves_round_at_every_step():
    # PyTorch 2.13's values
    found = torch.linspace(0, 10, 7, dtype=torch.float16)
    assert found.tolist() == [0.0, 1.6669921875, 3.333984375, 5.0, 6.6640625, 8.3359375, 10.0]


# ---- legacy names --------------------------------------------------------------------------------


def test_integer_sums_have_the_type_asked_for():
    x = torch.tensor([[1, 2, 3], [0, 5, 100]], dtype=torch.int32)
    assert x.sum(0, dtype=torch.uint8).dtype is torch.uint8
    assert x.sum(dtype=torch.int8).item() == 111
    assert (x * 3).sum(dtype=torch.uint8).item() == 333 % 256
    assert torch.nansum(x, 1, dtype=torch.int16).dtype is torch.int16
    for dtype in (torch.uint8, torch.int16):
        assert x.cumsum(0, dtype=dtype).dtype is dtype
        assert x.cumprod(1, dtype=dtype).tolist() == [[1, 2, 6], [0, 0, 0]]
    assert torch.einsum("ij->j", x.to(torch.uint8)).dtype is torch.int64
    ones = torch.ones(1, 2, dtype=torch.uint8)
    assert torch.tensordot(ones, torch.ones(3, 2, dtype=torch.uint8), ((0,), (0,))).dtype is (
        torch.uint8
    )


@pytest.mark.parametrize("name", ["Tensor", "FloatTensor", "LongTensor", "BoolTensor"])
def test_old_constructors_name_their_arguments(name):
    old = getattr(torch, name)
    assert old(size=(2, 3)).shape == (2, 3)
    assert old(data=[1, 0]).tolist() == [1, 0]
    assert old(2).new(size=(4,)).shape == (4,)
    with pytest.raises(TypeError, match="unexpected keyword"):
        old(shape=(2, 3))


def test_positions_of_no_integers_are_refused():
    with pytest.raises(TypeError, match="expected 'indices' to be integer"):
        torch.unravel_index(torch.tensor(0.5), (2, 2))
    with pytest.raises(TypeError, match="expected 'shape' to be int or sequence"):
        torch.unravel_index(torch.tensor([1]), torch.tensor([1, 2]))
    with pytest.raises(TypeError, match="to only contain ints"):
        torch.unravel_index(torch.tensor([1]), (2, 1.5))
    with pytest.raises(ValueError, match="cannot have negative values"):
        torch.unravel_index(torch.tensor([1]), (2, -3))


def test_an_empty_slice_keeps_the_strides_of_its_base():
    x = torch.randn(2, 3, 4, 5)[:, :, :, 1]
    assert x[:, 1:1].stride() == (60, 20, 5)
    assert torch.empty(2, 0, 4).stride() == (4, 4, 1)
