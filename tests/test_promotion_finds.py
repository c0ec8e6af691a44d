"""Types and numbers at the edges, on which a sweep against PyTorch found a difference."""

import enum

import pytest

import chainrule as torch
from chainrule.nn import functional as F


@pytest.mark.parametrize("exponent", [-1, 300])
def test_an_exponent_that_the_type_cannot_hold(exponent):
    # It wrapped around: 2 ** -1 was 2 ** 255, which is 0 in eight bits.
    x = torch.tensor([1, 2, 3], dtype=torch.uint8)
    for power in (lambda: x**exponent, lambda: x.pow(exponent), lambda: x.clone().pow_(exponent)):
        with pytest.raises(RuntimeError, match="without overflow"):
            power()
    with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
        x**-1
    assert ((-2) ** x).tolist() == [254, 4, 248]  # a base wraps, as in PyTorch


def test_numbers_beyond_the_type_they_are_looked_up_in():
    edges = torch.tensor([1, 2, 3], dtype=torch.uint8)
    assert torch.searchsorted(edges, 300) == torch.bucketize(300, edges) == 3
    assert torch.searchsorted(edges, -1) == 0
    assert torch.isin(edges, 300).tolist() == [False] * 3
    assert torch.isin(300, edges).item() is False


def test_what_has_no_order_is_not_searched():
    numbers = torch.tensor([1.0, 2.0])
    for edges, value in ((numbers, 1j), (numbers > 0, numbers > 1), (numbers * 1j, numbers)):
        with pytest.raises(NotImplementedError, match="not implemented for"):
            torch.searchsorted(edges, value)
    assert torch.searchsorted(numbers, torch.tensor(True)) == 0


@pytest.mark.parametrize("loss", [F.huber_loss, F.soft_margin_loss])
def test_losses_in_the_type_of_their_input(loss):
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0], dtype=torch.float64)
    assert loss(x, y).dtype is torch.float32
    assert loss(y, x).dtype is torch.float64
    assert loss(x, y, reduction="none").dtype is torch.float32
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Long"):
        loss(x.long(), y)


def test_targets_that_are_refused():
    x, y = torch.tensor([0.2, 0.7]), torch.tensor([True, False])
    with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
        F.binary_cross_entropy_with_logits(x, y)
    with pytest.raises(RuntimeError, match="kl_div: Integral inputs not supported"):
        F.kl_div(x, y.long())
    for refused in (F.binary_cross_entropy, F.binary_cross_entropy_with_logits):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            refused(y, y)


def test_integers_beside_floats_in_losses_and_distances():
    whole, x = torch.tensor([1, 2, 3]), torch.tensor([1.5, 2.0, 3.0])
    assert torch.dist(whole, x) == torch.dist(whole.float(), x)
    assert F.gaussian_nll_loss(whole, x, x) == F.gaussian_nll_loss(whole.float(), x, x)
    assert F.margin_ranking_loss(whole, whole.flip(0), whole) == pytest.approx(2 / 3)
    assert torch.addcmul(whole > 1, whole > 1, whole).tolist() == [0, 3, 4]
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        torch.dist(whole, whole)


def test_types_of_operands_of_two_precisions():
    half, brain = torch.ones(3, dtype=torch.float16), torch.tensor(0.3, dtype=torch.bfloat16)
    assert F.cosine_similarity(half, brain, 0).dtype is torch.float32
    exact = half.float() * 2 ** brain.float()
    assert torch.equal(torch.ldexp(half.float(), brain), exact)
    assert torch.equal(torch.ldexp(half, brain), exact.half())


def test_whole_numbers_of_32_bits_are_no_positions():
    x, places = torch.arange(3.0), torch.tensor([0, 1], dtype=torch.int32)
    for wrong in (lambda: x.take(places), lambda: x.put(places, x[:2])):
        with pytest.raises(RuntimeError, match="Expected a long tensor for index, but got Int"):
            wrong()


def test_more_dimensions_than_a_tensor_has():
    with pytest.raises(RuntimeError, match="tensordot expects dims < ndim_a or ndim_b"):
        torch.tensordot(torch.ones(3), torch.tensor(1.0), 1)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        torch.linalg.cross(torch.ones(3) > 0, torch.ones(3) > 0)


def test_masks_that_fit_no_shape():
    x, mask = torch.ones(3, 1, 4), torch.ones(4, 1, 3) > 0
    for wrong in (
        lambda: x.masked_select(mask),
        lambda: x.masked_scatter(mask, x),
        lambda: x.masked_fill(mask, 0.0),
    ):
        with pytest.raises(RuntimeError, match="must match the size of tensor b"):
            wrong()


def test_dimensions_that_a_number_has_not():
    assert torch.tensor(2.0).flatten(0, -1).shape == (1,)
    for start, end in ((0, 1), (1, 1), (-2, 0)):
        with pytest.raises(IndexError, match="Dimension out of range"):
            torch.tensor(2.0).flatten(start, end)


def test_subclasses_of_numbers_are_numbers():
    # NumPy took them for arrays of int64 and float64: all results were float64.
    whole, part = enum.IntEnum("Whole", {"TWO": 2}).TWO, type("Part", (float,), {})(0.5)
    x = torch.ones(2)
    for number in (whole, part):
        for found in (x * number, number * x, x / number, number - x, torch.add(x, number)):
            assert found.dtype is torch.float32
    assert (torch.ones(2, dtype=torch.int8) * whole).dtype is torch.int8
