"""Which results share memory with their input, and values at edges."""

from __future__ import annotations

import math

import pytest

import chainrule as torch
from chainrule.nn import functional as F

INF = math.inf


def shares(a, b) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


COPIES = {
    "view_copy": lambda x: torch.view_copy(x, (8, 2)),
    "diff": lambda x: torch.diff(x, n=0),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 1),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 1),
    "channel_shuffle": lambda x: F.channel_shuffle(x, 1),
    "sum_to_size": lambda x: x.sum().sum_to_size(()),
    "repeat_interleave": lambda x: x.sum().repeat_interleave(2),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_memory_of_its_own(name):
    x = torch.arange(16.0).reshape(1, 4, 2, 2)
    out = COPIES[name](x)
    before = x.clone()
    out.add_(1)
    assert not shares(out, x)
    assert torch.equal(x, before)


def test_a_single_number_repeated_can_be_written_one_by_one():
    out = torch.tensor(2.0).repeat_interleave(3)
    out[0] = 7
    assert out.tolist() == [7, 2, 2]


@pytest.mark.parametrize("name", ["unsafe_split", "unsafe_chunk"])
def test_unsafe_parts_share_memory_without_being_views(name):
    x = torch.arange(6.0)
    parts = getattr(torch, name)(x, 3)
    assert all(shares(part, x) and not part._is_view() for part in parts)
    parts[0].fill_(9)
    assert x[0] == 9


def test_edges_given_to_a_histogram_are_copied():
    edges = torch.tensor([0.0, 1.0, 2.0])
    assert not shares(torch.histogram(torch.rand(5), edges).bin_edges, edges)


def test_a_copy_is_made_of_what_no_view_could_show():
    x = torch.arange(6.0).reshape(2, 3).t()
    assert torch.view_copy(x, (6,)).tolist() == [0, 3, 1, 4, 2, 5]


# ---- edges ---------------------------------------------------------------------------------------


def test_one_variable_has_a_variance():
    x = torch.tensor([[1.0, 2.0, 6.0]])
    assert torch.cov(x).shape == () and torch.cov(x) == 7
    assert torch.corrcoef(x).shape == ()


def test_the_variance_of_one_number():
    x = torch.tensor(2.0, requires_grad=True)
    assert x.var().isnan() and x.std(unbiased=False) == 0
    var, mean = torch.var_mean(x.detach(), dim=0, correction=0)
    assert var == 0 and mean == 2
    (grad,) = torch.autograd.grad(x.var(unbiased=False), x)
    assert grad == 0


def test_histograms_of_one_value_reach_half_a_unit():
    # PyTorch 2.13's values
    assert torch.histogram(torch.tensor([2.0, 2.0]), 2).bin_edges.tolist() == [1.5, 2.0, 2.5]
    empty = torch.histogram(torch.tensor([]), 2)
    assert empty.bin_edges.tolist() == [0.0, 0.5, 1.0]
    given = torch.histogram(torch.tensor([2.0]), 2, range=(1.0, 1.0))
    assert given.bin_edges.tolist() == [0.5, 1.0, 1.5] and given.hist.sum() == 0


def test_means_of_integers_keep_their_type():
    x, src = torch.tensor([5, 7, 9]), torch.tensor([10, 20, 30, 41])
    for dtype in (torch.uint8, torch.int32):
        for name in ("scatter_reduce", "index_reduce"):
            out = getattr(x.to(dtype), name)(0, torch.tensor([0, 0, 1, 1]), src.to(dtype), "mean")
            assert out.dtype is dtype and out.tolist() == [11, 26, 9]


def test_integer_samples_are_added_before_they_are_halved():
    # PyTorch 2.13's values: with positions the products wrap, with a step they do not.
    y = torch.tensor([100, 200, 50], dtype=torch.uint8)
    assert torch.trapezoid(y, dx=2).item() == 550
    assert torch.trapezoid(y, torch.tensor([3, 100, 120], dtype=torch.uint8)).item() == 154
    with pytest.raises(RuntimeError, match="bool is not supported"):
        torch.trapezoid(torch.tensor([True, False]))


def test_means_over_a_negative_divisor_are_cut_towards_zero():
    x = torch.arange(16).reshape(1, 1, 4, 4)
    out = F.avg_pool2d(x, 2, divisor_override=-3)
    assert out.flatten().tolist() == [-3, -6, -14, -16]


@pytest.mark.parametrize("order", [2, 1, INF, "fro", "nuc"])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 3)])
def test_the_norm_of_an_empty_matrix_is_zero(order, shape):
    norm = torch.linalg.matrix_norm(torch.zeros(shape), order)
    assert torch.equal(norm, torch.zeros(shape[:-2]))


def test_an_empty_matrix_has_a_condition():
    assert torch.linalg.cond(torch.zeros(0, 0)) == 0
    assert torch.linalg.cond(torch.zeros(2, 0, 0), "fro").tolist() == [0, 0]


@pytest.mark.parametrize("pads", [(-1, 1), (1, -1), (-2, 1), (2, -1)])
def test_circular_padding_wraps_around_what_is_left(pads):
    x = torch.arange(5.0, dtype=torch.float64).reshape(1, 1, 5).requires_grad_()
    before, after = pads
    kept = x[..., max(-before, 0) : 5 + min(after, 0)]
    expected = F.pad(kept, (max(before, 0), max(after, 0)), mode="circular")
    assert torch.equal(F.pad(x, pads, mode="circular"), expected)
    torch.autograd.gradcheck(lambda x: F.pad(x, pads, mode="circular"), x)


# ---- derivatives at edges ------------------------------------------------------------------------


def test_a_place_filled_twice_counts_once():
    x = torch.ones(3, 2, requires_grad=True)
    value = torch.tensor(4.0, requires_grad=True)
    x.index_fill(0, torch.tensor([1, 1]), value).sum().backward()
    assert value.grad == 2
    assert x.grad.tolist() == [[1, 1], [0, 0], [1, 1]]


@pytest.mark.parametrize("name", ["scatter_reduce", "index_reduce"])
@pytest.mark.parametrize("values", [(0, 0, 3, 2), (0, 4, 3, 2), (1, 4, 3, 0), (0, 0, 0, 0)])
def test_products_at_zeros_differentiate_twice(name, values):
    index = torch.tensor([0, 0, 0, 1])
    x = torch.tensor([2.0, 0.0], dtype=torch.float64, requires_grad=True)
    src = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    for include in (True, False):
        torch.autograd.gradgradcheck(
            lambda x, src, include=include: getattr(x, name)(
                0, index, src, "prod", include_self=include
            ),
            (x, src),
        )


@pytest.mark.parametrize("order", [3, 3.5, 4])
def test_norms_have_second_derivatives_of_zero_at_zero(order):
    x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    norm = torch.linalg.vector_norm(x, order)
    (grad,) = torch.autograd.grad(norm, x, create_graph=True)
    (second,) = torch.autograd.grad(grad.sum(), x)
    assert torch.equal(second, torch.zeros_like(x))


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin"])
def test_softmax_of_one_number_differentiates_twice(name):
    x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradgradcheck(lambda x: getattr(F, name)(x, 0), x)


def test_the_gradient_of_a_complex_root_mean_square_norm():
    x = torch.tensor([1 + 2j, 2 - 1j, 0.5 + 0.3j], dtype=torch.complex128, requires_grad=True)
    w = torch.tensor([1 + 1j, 2.0, 3.0], dtype=torch.complex128, requires_grad=True)
    torch.autograd.gradcheck(lambda x, w: F.rms_norm(x, (3,), w, 0.5), (x, w))


def test_the_statistics_of_a_layer_norm_carry_no_gradient():
    x = torch.randn(2, 3, requires_grad=True)
    out, mean, rstd = torch.native_layer_norm(x, (3,), None, None, 1e-5)
    assert out.requires_grad and not mean.requires_grad and not rstd.requires_grad


def test_empty_images_pass_through():
    assert F.local_response_norm(torch.empty(0, 1, 2), 1).shape == (0, 1, 2)
    assert F.adaptive_avg_pool3d(torch.empty(0, 8, 8, 8, 8), (5, 7, 4)).shape == (0, 8, 5, 7, 4)
    out, mean, _ = torch.native_group_norm(torch.empty(0, 2), None, None, 0, 2, 1, 1, 1e-5)
    assert out.shape == (0, 2) and mean.shape == (0, 1)
    assert torch.gather(torch.ones(5), 0, torch.empty(2, 0, dtype=torch.int64)).shape == (2, 0)


def test_a_complex_window_is_taken_out_again():
    window = torch.tensor([1 + 1j, 2.0, 1 + 0.5j, 1.5], dtype=torch.complex128)
    x = torch.randn(2, 16, dtype=torch.complex128)
    settings = {"n_fft": 4, "hop_length": 2, "window": window, "onesided": False}
    spectrum = torch.stft(x, return_complex=True, **settings)
    torch.testing.assert_close(torch.istft(spectrum, return_complex=True, **settings), x)
