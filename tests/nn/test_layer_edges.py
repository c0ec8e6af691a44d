"""Layers at the edges: more room than windows, nothing to count, no channels."""

from __future__ import annotations

import itertools
import math

import pytest

import chainrule as torch
from chainrule.nn import functional as F

INF, NAN = math.inf, math.nan


def ramp(*shape: int) -> torch.Tensor:
    n = math.prod(shape)
    return (torch.arange(n, dtype=torch.float64) * 0.37).sin().reshape(shape)


# ---- transposed convolutions ---------------------------------------------------------------------

# stride, padding, output_padding, dilation, kernel; output_padding reaches or passes the stride
STEPS = [(1, 0, 1, 2, 2), (1, 1, 2, 3, 2), (2, 0, 2, 3, 3), (2, 1, 3, 4, 2), (1, 2, 1, 2, 3)]


def by_definition(x, w, stride, padding, extra, dilation):
    """Every input adds its kernel to the output, element by element (1 dimension, no groups)."""
    k = w.shape[2]
    full = (x.shape[2] - 1) * stride + dilation * (k - 1) + 1 + extra
    out = torch.zeros(x.shape[0], w.shape[1], full, dtype=x.dtype)
    for i, j in itertools.product(range(x.shape[2]), range(k)):
        out[:, :, i * stride + j * dilation] += x[:, :, i] @ w[:, :, j]
    return out[:, :, padding : full - padding]


@pytest.mark.parametrize("steps", STEPS)
def test_a_transposed_convolution_may_pad_its_output_up_to_the_dilation(steps):
    stride, padding, extra, dilation, k = steps
    x, w = ramp(2, 3, 4).requires_grad_(), ramp(3, 2, k).requires_grad_()
    out = F.conv_transpose1d(
        x, w, stride=stride, padding=padding, output_padding=extra, dilation=dilation
    )
    expected = by_definition(x, w, stride, padding, extra, dilation)
    torch.testing.assert_close(out, expected)
    weights = ramp(*out.shape)
    found = torch.autograd.grad((out * weights).sum(), (x, w))
    torch.testing.assert_close(found, torch.autograd.grad((expected * weights).sum(), (x, w)))


@pytest.mark.parametrize("nd", [2, 3])
def test_padded_transposed_convolutions_differentiate_twice(nd):
    x, w = ramp(1, 2, *(2,) * nd).requires_grad_(), ramp(2, 1, *(2,) * nd).requires_grad_()

    def call(x, w):
        conv = getattr(F, f"conv_transpose{nd}d")
        return conv(x, w, padding=1, output_padding=2, dilation=3)

    assert call(x, w).shape == (1, 1, *(5,) * nd)
    torch.autograd.gradcheck(call, (x, w), check_forward_ad=True)
    torch.autograd.gradgradcheck(call, (x, w))


def test_padded_transposed_convolutions_compile():
    layer = torch.nn.ConvTranspose2d(2, 3, 3, dilation=2, output_padding=1)
    x = torch.randn(1, 2, 4, 4)
    assert layer(x).shape == (1, 3, 9, 9)
    compiled = torch.compile(layer)
    for _ in range(3):
        torch.testing.assert_close(compiled(x), layer(x))


def test_a_convolution_without_inputs_has_no_outputs():
    with pytest.warns(UserWarning, match="zero-element tensors"):
        layer = torch.nn.Conv2d(0, 33, 3, stride=2)
    out = layer(torch.randn(2, 0, 15, 15))
    assert out.shape == (2, 0, 7, 7)
    out.sum().backward()
    assert torch.equal(layer.bias.grad, torch.zeros(33))


def test_a_convolution_needs_kernels_with_elements():
    with pytest.raises(RuntimeError, match="expected weight to be at least 1 at dimension 0"):
        F.conv2d(torch.randn(2, 3, 4, 4), torch.randn(0, 3, 2, 2))
    with pytest.raises(RuntimeError, match="expected weight to be at least 1 at dimension 0"):
        F.conv_transpose2d(torch.randn(2, 0, 4, 4), torch.randn(0, 3, 2, 2))
    with pytest.raises(RuntimeError, match="kernel size should be greater than zero"):
        F.conv2d(torch.randn(1, 2, 3, 3), torch.randn(2, 2, 0, 0))


# ---- losses of nothing ---------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weight", [None, torch.ones(3)])
def test_a_loss_without_targets_is_nan_and_teaches_nothing(smoothing, weight):
    x = torch.randn(2, 3, requires_grad=True)
    nothing = torch.tensor([-100, -100])
    loss = F.cross_entropy(x, nothing, weight=weight, label_smoothing=smoothing)
    loss.backward()
    assert loss.isnan() and torch.equal(x.grad, torch.zeros(2, 3))
    y = torch.randn(2, 3, 2, requires_grad=True)
    loss = F.nll_loss(y, torch.full((2, 2), -100), weight=weight)
    loss.backward()
    assert loss.isnan() and torch.equal(y.grad, torch.zeros(2, 3, 2))


def test_the_mean_loss_of_an_empty_batch_of_probabilities_is_nan():
    with pytest.warns(UserWarning, match="empty batch"):
        assert F.cross_entropy(torch.randn(0, 3), torch.zeros(0, 3)).isnan()
    assert F.cross_entropy(torch.randn(0, 3), torch.zeros(0, 3), reduction="sum") == 0


def test_ctc_reads_nothing_after_the_last_frame():
    logits = torch.randn(5, 2, 4, requires_grad=True)
    labels = torch.tensor([[1, 2], [1, 2]])
    loss = F.ctc_loss(
        logits.log_softmax(-1), labels, torch.tensor([0, 5]), torch.tensor([2, 2]), reduction="none"
    )
    loss.sum().backward()
    assert loss[0] == INF and loss[1].isfinite()
    assert torch.equal(logits.grad[:, 0], torch.zeros(5, 4))
    assert logits.grad.isfinite().all()
    logits.grad = None  # one frame cannot hold two labels: NaN there, and nothing after it
    F.ctc_loss(
        logits.log_softmax(-1), labels, torch.tensor([1, 5]), torch.tensor([2, 2]), reduction="sum"
    ).backward()
    assert logits.grad[0, 0].isnan().all()
    assert torch.equal(logits.grad[1:, 0], torch.zeros(4, 4))


@pytest.mark.parametrize("shape", [(0, 3), (0, 3, 4), (2, 3, 0), (0, 3, 4, 4)])
def test_an_empty_batch_leaves_the_running_statistics(shape):
    kind = torch.nn.BatchNorm2d if len(shape) == 4 else torch.nn.BatchNorm1d
    norm = kind(3)
    assert norm(torch.randn(shape)).shape == shape
    assert torch.equal(norm.running_mean, torch.zeros(3))
    assert torch.equal(norm.running_var, torch.ones(3))
    assert norm.num_batches_tracked == 1


# ---- distances and angles ------------------------------------------------------------------------


def test_cosine_similarity_broadcasts_before_it_measures():
    a, b = ramp(2, 1) + 1, ramp(2, 3)
    expected = F.cosine_similarity(a.expand(2, 3), b, dim=-1)
    torch.testing.assert_close(F.cosine_similarity(a, b, dim=-1), expected)
    assert (F.cosine_similarity(a, a.expand(2, 3), dim=1) - 1).abs().max() < 1e-12
    c = ramp(3)  # dimensions count in the common shape
    expected = F.cosine_similarity(c.expand(2, 3), b, dim=0)
    torch.testing.assert_close(F.cosine_similarity(c, b, dim=0), expected)
    mixed = F.cosine_similarity(torch.ones(2, 3, dtype=torch.int64), b.float())
    torch.testing.assert_close(mixed, F.cosine_similarity(torch.ones(2, 3), b.float()))
    assert F.cosine_similarity(a.to("meta"), b.to("meta")).shape == (2,)


def test_cosine_similarity_below_eps_keeps_the_slope_of_the_length():
    x = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([1.0, 0.0], dtype=torch.float64)
    cos = F.cosine_similarity(x, y, dim=0, eps=10.0)
    cos.backward()
    assert cos == 0.03  # 3 / (10 * 10)
    # PyTorch 2.13's value: y / 100 - x / |x| * (x . y) / (10 * 10 * 10)
    torch.testing.assert_close(x.grad, torch.tensor([0.01 - 0.0018, -0.0024]).double())


@pytest.mark.parametrize("which", (0, 1))
@pytest.mark.parametrize("eps", (1e-8, 0.9, 5.0))  # below all lengths, between them, above
def test_both_mixed_second_derivatives_of_cosine_similarity_are_the_slope_of_its_gradient(
    eps, which
):
    x = torch.tensor([[[0.3, 0.4, -0.2]], [[2.0, 1.0, 0.5]]], dtype=torch.float64)
    y = torch.tensor([[1.0, -0.5, 0.7], [0.1, 0.2, 0.1]], dtype=torch.float64)
    weight = torch.tensor([[1.0, 2.0], [3.0, -1.0]], dtype=torch.float64)

    def similarity(z):
        one, two = (z, y) if which == 0 else (x, z)
        return (F.cosine_similarity(one, two, dim=-1, eps=eps) * weight).sum()

    point = (x, y)[which]
    along = torch.linspace(-0.5, 0.8, 6, dtype=torch.float64).reshape(point.shape)
    gradient = torch.func.grad(similarity)
    step = 1e-5 * along
    slope = (gradient(point + step) - gradient(point - step)) / 2e-5
    forward_over_reverse = torch.func.jvp(gradient, (point,), (along,))[1]
    reverse_over_forward = torch.func.grad(lambda z: torch.func.jvp(similarity, (z,), (along,))[1])(
        point
    )
    torch.testing.assert_close(forward_over_reverse, slope, rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(reverse_over_forward, slope, rtol=1e-6, atol=1e-8)
    tangent = torch.func.jvp(similarity, (point,), (along,))[1]
    difference = (similarity(point + step) - similarity(point - step)) / 2e-5
    torch.testing.assert_close(tangent, difference, rtol=1e-7, atol=1e-9)


def test_distances_of_order_0_are_nan_where_the_difference_is():
    x = torch.tensor([[INF, 0.0], [INF, 1.0], [0.0, 1.0]])
    assert F.pdist(x, 0).isnan().tolist() == [True, False, False]
    assert torch.cdist(x, x, 0).isnan().sum() == 4
    assert torch.cdist(x[:1], x[2:], 0).item() == 2


def test_every_largest_difference_gets_the_whole_gradient_of_pdist():
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
    F.pdist(x, INF).sum().backward()
    assert x.grad.tolist() == [[1.0, -1.0], [-1.0, 1.0]]  # PyTorch 2.13's value
    assert torch.equal(F.pdist(torch.randn(3, 0), INF), torch.zeros(3))


def test_a_quotient_by_the_number_zero_has_a_gradient():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x / 0).sum().backward()
    assert x.grad.tolist() == [INF, INF]
    x.grad = None
    (x / -0.0).sum().backward()
    assert x.grad.tolist() == [-INF, -INF]


def test_images_of_bytes_are_resized_as_pytorch_does():
    x = (torch.arange(48).reshape(1, 3, 4, 4) * 37 % 256).to(torch.uint8)
    # PyTorch 2.13's values: whole weights, and rounding after each axis
    down = F.interpolate(x, size=(3, 3), mode="bilinear", antialias=True)
    assert down[0, 0].tolist() == [[55, 100, 91], [105, 150, 105], [155, 110, 64]]
    up = F.interpolate(x, scale_factor=1.5, mode="bicubic")
    assert up[0, 1, 2].tolist() == [245, 121, 15, 48, 82, 100]
    corners = F.interpolate(x, size=(3, 3), mode="bilinear", align_corners=True)
    assert corners[0, 2].tolist() == [[160, 216, 15], [126, 118, 109], [92, 148, 203]]
    last = x.contiguous(memory_format=torch.channels_last)
    assert torch.equal(F.interpolate(last, size=(3, 3), mode="bilinear", antialias=True), down)


def test_integers_beyond_64_bits_are_refused():
    for dtype in (torch.int64, torch.uint8):
        x = torch.ones(2, dtype=dtype)
        for call in (lambda x: x + (1 << 64), lambda x: x.mul_(-(1 << 63) - 1)):
            with pytest.raises(OverflowError, match="too big to convert"):
                call(x)
        assert x.tolist() == [1, 1]


@pytest.mark.parametrize("norm", ("batch_norm", "instance_norm"))
def test_running_statistics_of_functions_that_are_differentiated(norm):
    def run(x, mean, var):
        if norm == "batch_norm":
            return F.batch_norm(x, mean, var, training=True)
        return F.instance_norm(x, mean, var, use_input_stats=True)

    x = torch.arange(24.0).reshape(2, 3, 4).sin()
    want = torch.zeros(3), torch.ones(3)
    run(x, *want)
    transforms = (
        lambda f: torch.func.jvp(f, (x,), (x,)),
        lambda f: torch.func.vjp(f, x),
        lambda f: torch.func.grad(lambda x: f(x).sum())(x),
    )
    for transform in transforms:
        mean, var = torch.zeros(3), torch.ones(3)
        transform(lambda x, mean=mean, var=var: run(x, mean, var))
        assert torch.equal(mean, want[0])
        assert torch.equal(var, want[1])
