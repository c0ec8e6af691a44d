"""nn.functional beyond single samples: large inputs, stability, buffers, names, in-place forms."""

import numpy as np
import pytest

import chainrule as torch

F = torch.nn.functional


def randn(*shape: int, seed: int = 0, dtype: str = "float64"):
    values = np.random.RandomState(seed).standard_normal(shape).astype(dtype)
    return torch.from_numpy(values)


def gradients(function, *inputs):
    """(result, gradients) of a weighted sum of the result; the same weights for every call."""
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    out = function(*leaves)
    weights = randn(*out.shape, seed=99).to(out.dtype)
    (out * weights).sum().backward()
    return out.detach().numpy(), [x.grad.numpy() for x in leaves]


def assert_same(function, reference, *inputs, rtol=1e-9):
    """Both give the same value and gradients."""
    got, got_grads = gradients(function, *inputs)
    want, want_grads = gradients(reference, *inputs)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)
    for a, b in zip(got_grads, want_grads, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1.0, np.abs(b).max()))


# ---- large enough for every block, chunk and bit trick -------------------------------------------


def test_convolution_of_many_images_equals_one_at_a_time():
    x, w, b = randn(40, 6, 14, 13), randn(8, 3, 3, 3, seed=1), randn(8, seed=2)
    for options in ({"padding": 1}, {"stride": 2, "padding": (2, 0)}, {"dilation": 2}):
        assert_same(
            lambda x, w, b, o=options: F.conv2d(x, w, b, groups=2, **o),
            lambda x, w, b, o=options: torch.cat(
                [F.conv2d(x[i : i + 1], w, b, groups=2, **o) for i in range(len(x))]
            ),
            x,
            w,
            b,
        )


def test_convolution_equals_the_sum_over_its_windows():
    x, w = randn(3, 2, 7, 8), randn(4, 2, 3, 2, seed=1)

    def windows(x, w):
        columns = F.unfold(x, (3, 2), dilation=2, padding=1, stride=2)
        out = w.reshape(4, -1).matmul(columns)
        return F.fold(out, (3, 4), 1)

    assert_same(lambda x, w: F.conv2d(x, w, dilation=2, padding=1, stride=2), windows, x, w)


def plain_layer_norm(x, w, b):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() * w + b


def test_layer_norm_in_several_blocks():
    x, w, b = randn(700, 300), randn(300, seed=1), randn(300, seed=2)
    assert_same(lambda x, w, b: F.layer_norm(x, (300,), w, b), plain_layer_norm, x, w, b)


def test_batch_norm_in_several_blocks():
    x, w, b = randn(30, 12, 25, 25), randn(12, seed=1), randn(12, seed=2)

    def plain(x, w, b):
        centred = x - x.mean((0, 2, 3), keepdim=True)
        scaled = centred / (centred.square().mean((0, 2, 3), keepdim=True) + 1e-5).sqrt()
        return scaled * w.reshape(12, 1, 1) + b.reshape(12, 1, 1)

    assert_same(lambda x, w, b: F.batch_norm(x, None, None, w, b, True), plain, x, w, b, rtol=1e-8)


def test_group_and_rms_norm_in_several_blocks():
    x, w, b = randn(60, 8, 20, 20), randn(8, seed=1), randn(8, seed=2)

    def plain_group(x, w, b):
        y = x.reshape(60, 4, -1)
        centred = y - y.mean(-1, keepdim=True)
        scaled = centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return scaled.reshape(x.shape) * w.reshape(8, 1, 1) + b.reshape(8, 1, 1)

    assert_same(lambda x, w, b: F.group_norm(x, 4, w, b), plain_group, x, w, b, rtol=1e-8)
    x, w = randn(700, 300), randn(300, seed=1)
    assert_same(
        lambda x, w: F.rms_norm(x, (300,), w, 1e-5),
        lambda x, w: x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * w,
        x,
        w,
    )


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("ignored", [False, True])
def test_cross_entropy_in_several_blocks(reduction, ignored):
    x = randn(400, 500)
    target = torch.from_numpy(np.random.RandomState(1).randint(0, 500, 400))
    if ignored:
        target[::3] = -100

    def plain(x):
        loss = -F.log_softmax(x, 1)[torch.arange(400), target.clamp(min=0)]
        loss = torch.where(target >= 0, loss, 0.0)
        if reduction == "none":
            return loss
        return loss.sum() / ((target >= 0).sum() if reduction == "mean" else 1)

    assert_same(lambda x: F.cross_entropy(x, target, reduction=reduction), plain, x)


def test_gelu_in_several_blocks_and_both_types():
    import scipy.special

    x = randn(300, 300, seed=3) * 3
    cdf = scipy.special.ndtr(x.numpy())
    slope = cdf + x.numpy() * np.exp(-(x.numpy() ** 2) / 2) / np.sqrt(2 * np.pi)
    out, (grad,) = gradients(F.gelu, x)
    np.testing.assert_allclose(out, x.numpy() * cdf, rtol=1e-12)
    np.testing.assert_allclose(
        grad, randn(300, 300, seed=99).numpy() * slope, rtol=1e-9, atol=1e-15
    )
    small, (grad,) = gradients(F.gelu, x.float())
    np.testing.assert_allclose(small, x.numpy() * cdf, rtol=2e-5, atol=1e-12)
    np.testing.assert_allclose(grad, randn(300, 300, seed=99).numpy() * slope, rtol=1e-4, atol=1e-6)


def test_attention_in_several_chunks():
    q, k, v = randn(3, 5, 150, 8), randn(3, 5, 160, 8, seed=1), randn(3, 5, 160, 6, seed=2)
    bias = randn(3, 1, 150, 160, seed=3)

    def plain(q, k, v, bias):
        return ((q @ k.mT) * 0.5 + bias).softmax(-1) @ v

    assert_same(
        lambda q, k, v, bias: F.scaled_dot_product_attention(q, k, v, bias, scale=0.5),
        plain,
        q,
        k,
        v,
        bias,
        rtol=1e-8,
    )


def test_embedding_with_many_rows():
    weight = randn(50, 40)
    index = torch.from_numpy(np.random.RandomState(2).randint(0, 50, (30, 60)))
    assert_same(lambda w: F.embedding(index, w), lambda w: w[index], weight)


def test_max_pool_of_large_images_equals_windows():
    x = randn(4, 6, 40, 41)

    def windows(x):
        padded = F.pad(x, (1, 1, 1, 1), value=-np.inf)
        return padded.unfold(2, 3, 2).unfold(3, 3, 2).amax((-2, -1))

    assert_same(lambda x: F.max_pool2d(x, 3, 2, 1), windows, x)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "nearest", "area"])
def test_resizing_a_large_image_equals_its_parts(mode):
    """More outputs than a plan's matrix: the other way of applying it."""
    x = randn(1, 2, 150, 3)
    align = None if mode in ("nearest", "area") else False

    def rows_then_columns(x):
        columns = F.interpolate(x, (150, 7), mode=mode, align_corners=align)
        return F.interpolate(columns, (230, 7), mode=mode, align_corners=align)

    assert_same(
        lambda x: F.interpolate(x, (230, 7), mode=mode, align_corners=align), rows_then_columns, x
    )


# ---- numerically safe ----------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e4, -1e4])
def test_losses_of_huge_logits(scale):
    logits = torch.tensor([[scale, 0.0, -scale]], requires_grad=True)
    loss = F.cross_entropy(logits, torch.tensor([2]))
    loss.backward()
    assert loss.item() == (2e4 if scale > 0 else 0.0)
    expected = [1.0, 0.0, -1.0] if scale > 0 else [0.0, 0.0, 0.0]
    assert logits.grad.tolist() == [expected]
    logits = torch.tensor([scale], requires_grad=True)
    loss = F.binary_cross_entropy_with_logits(logits, torch.tensor([0.0]))
    loss.backward()
    assert loss.item() == (1e4 if scale > 0 else 0.0)
    assert logits.grad.tolist() == [1.0 if scale > 0 else 0.0]


def test_normalisers_of_huge_logits():
    """Shifted by the largest: what overflows or vanishes alone does not in the result."""
    values = [[1e4, 1e4, -1e4], [-1e4, -1e4, -1e4]]
    for function, expected in (
        (F.softmax, [[0.5, 0.5, 0.0], [1 / 3] * 3]),
        (F.log_softmax, [[-np.log(2), -np.log(2), -2e4 - np.log(2)], [-np.log(3)] * 3]),
        (torch.logsumexp, [1e4 + np.log(2), -1e4 + np.log(3)]),
    ):
        x = torch.tensor(values, requires_grad=True)
        out = function(x, dim=1)
        np.testing.assert_allclose(out.detach().numpy(), expected, rtol=1e-6)
        out.sum().backward()
        assert np.isfinite(x.grad.numpy()).all(), function
    x = torch.tensor([1e4, -1e4], requires_grad=True)
    assert F.logsigmoid(x).tolist() == [0.0, -1e4]
    torch.sigmoid(x).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_the_gradient_of_cross_entropy_is_softmax_minus_target():
    torch.manual_seed(0)
    x, classes = torch.randn(5, 4, requires_grad=True), torch.tensor([0, 3, 1, 1, 2])
    loss = F.cross_entropy(x, classes, reduction="sum")
    loss.backward()
    target = F.one_hot(classes, 4)
    torch.testing.assert_close(x.grad, torch.softmax(x.detach(), 1) - target)
    assert loss.grad_fn.next_functions[0][0].name() == "torch::autograd::AccumulateGrad", (
        "one node, no softmax"
    )


def test_cross_entropy_of_masked_logits():
    logits = torch.tensor([[0.0, -np.inf, 1.0]], requires_grad=True)
    F.cross_entropy(logits, torch.tensor([0])).backward()
    np.testing.assert_allclose(logits.grad.numpy(), [[-0.7310586, 0.0, 0.7310586]], rtol=1e-6)


def test_float32_activations_at_extremes_are_finite():
    x = torch.tensor([-1e4, -100.0, 0.0, 100.0, 1e4], requires_grad=True)
    for function in (F.silu, F.gelu, F.softplus, F.logsigmoid, F.mish, F.elu, F.selu, F.celu):
        (grad,) = torch.autograd.grad(function(x).sum(), x)
        assert np.isfinite(function(x).detach().numpy()).all(), function
        assert np.isfinite(grad.numpy()).all(), function


# ---- buffers and in-place ------------------------------------------------------------------------


def test_batch_norm_updates_its_running_statistics():
    x = randn(10, 3, 4)
    mean, var = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    F.batch_norm(x, mean, var, training=True, momentum=0.1)
    values = x.numpy().transpose(1, 0, 2).reshape(3, -1)
    np.testing.assert_allclose(mean.numpy(), 0.1 * values.mean(1), rtol=1e-12)
    np.testing.assert_allclose(var.numpy(), 0.9 + 0.1 * values.var(1, ddof=1), rtol=1e-12)
    before = mean.clone()
    out = F.batch_norm(x, mean, var)
    expected = (x - mean.reshape(3, 1)) / (var.reshape(3, 1) + 1e-5).sqrt()
    np.testing.assert_allclose(out.numpy(), expected.numpy(), rtol=1e-12)
    assert (mean == before).all()


def test_instance_norm_updates_with_the_mean_over_examples():
    x = randn(5, 2, 6)
    mean, var = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    F.instance_norm(x, mean, var, momentum=0.5)
    np.testing.assert_allclose(mean.numpy(), 0.5 * x.numpy().mean((0, 2)), rtol=1e-12)
    np.testing.assert_allclose(
        var.numpy(), 0.5 + 0.5 * x.numpy().var(2, ddof=1).mean(0), rtol=1e-12
    )


def test_embedding_limits_the_norm_of_the_rows_it_uses():
    weight = torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    out = F.embedding(torch.tensor([0, 1]), weight, max_norm=1.0)
    np.testing.assert_allclose(weight.numpy(), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-6)
    np.testing.assert_allclose(out.numpy(), weight.numpy()[:2])


def test_sparse_gradients_say_which_rows_were_used():
    weight = torch.ones(4, 2, requires_grad=True)
    F.embedding(torch.tensor([2, 0]), weight, sparse=True).sum().backward()
    assert weight.grad.is_sparse
    assert weight.grad._indices().tolist() == [[0, 2]]


@pytest.mark.parametrize(
    ("in_place", "plain"),
    [
        (lambda x: F.relu(x, inplace=True), F.relu),
        (F.elu_, F.elu),
        (F.selu_, F.selu),
        (F.celu_, F.celu),
        (F.leaky_relu_, F.leaky_relu),
        (F.hardtanh_, F.hardtanh),
        (lambda x: F.threshold_(x, 0.1, 2.0), lambda x: F.threshold(x, 0.1, 2.0)),
        (lambda x: F.silu(x, inplace=True), F.silu),
        (lambda x: F.relu6(x, inplace=True), F.relu6),
    ],
)
def test_in_place_activation_writes_and_differentiates(in_place, plain):
    x = randn(3, 4)

    def written(x):
        y = x * 1.0
        assert in_place(y) is y
        return y

    assert_same(written, plain, x)


def test_dropout_in_attention_follows_the_seed_and_keeps_the_scale():
    q = torch.ones(1, 1, 400, 4)
    torch.manual_seed(3)
    first = F.scaled_dot_product_attention(q, q, q, dropout_p=0.4)
    torch.manual_seed(3)
    again = F.scaled_dot_product_attention(q, q, q, dropout_p=0.4)
    assert (first == again).all()
    assert abs(first.mean().item() - 1) < 0.02
    assert first.std().item() > 0.01


# ---- the tape ------------------------------------------------------------------------------------

X2, X4 = randn(3, 4), randn(2, 4, 6, 6)
NAMES = {
    "AddmmBackward0": lambda x: F.linear(x, randn(5, 4), randn(5)),
    "MmBackward0": lambda x: F.linear(x, randn(5, 4)),
    "GeluBackward0": F.gelu,
    "SiluBackward0": F.silu,
    "LeakyReluBackward0": F.leaky_relu,
    "HardtanhBackward0": F.relu6,
    "EluBackward0": F.selu,
    "SoftplusBackward0": F.softplus,
    "LogSigmoidBackward0": F.logsigmoid,
    "GluBackward0": F.glu,
    "NllLossBackward0": lambda x: F.cross_entropy(x, torch.tensor([0, 1, 2])),
    "MseLossBackward0": lambda x: F.mse_loss(x, X2),
    "SmoothL1LossBackward0": lambda x: F.smooth_l1_loss(x, X2),
    "HuberLossBackward0": lambda x: F.huber_loss(x, X2),
    "BinaryCrossEntropyWithLogitsBackward0": lambda x: F.binary_cross_entropy_with_logits(
        x, X2.sigmoid()
    ),
    "NativeLayerNormBackward0": lambda x: F.layer_norm(x, (4,)),
    "EmbeddingBackward0": lambda x: F.embedding(torch.tensor([0, 2]), x),
    "PreluKernelBackward0": lambda x: F.prelu(x, randn(1)),
}
IMAGE_NAMES = {
    "ConvolutionBackward0": lambda x: F.conv2d(x, randn(2, 4, 3, 3)),
    "MaxPool2DWithIndicesBackward0": lambda x: F.max_pool2d(x, 2),
    "AvgPool2DBackward0": lambda x: F.avg_pool2d(x, 2),
    "AdaptiveAvgPool2DBackward0": lambda x: F.adaptive_avg_pool2d(x, 4),
    "MeanBackward1": lambda x: F.adaptive_avg_pool2d(x, 1),
    "NativeBatchNormBackward0": lambda x: F.batch_norm(x, None, None, training=True),
    "NativeGroupNormBackward0": lambda x: F.group_norm(x, 2),
    "UpsampleBilinear2DBackward0": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "UpsampleNearest2DBackward0": lambda x: F.interpolate(x, scale_factor=2),
    "ConstantPadNdBackward0": lambda x: F.pad(x, (1, 1)),
    "ReflectionPad2DBackward0": lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
    "PixelShuffleBackward0": lambda x: F.pixel_shuffle(x, 2),
    "Im2ColBackward0": lambda x: F.unfold(x, 2),
    "NllLoss2DBackward0": lambda x: F.cross_entropy(x, torch.zeros(2, 6, 6, dtype=torch.int64)),
    "ScaledDotProductFlashAttentionForCpuBackward0": lambda x: F.scaled_dot_product_attention(
        x, x, x
    ),
}


@pytest.mark.parametrize(("name", "call"), NAMES.items(), ids=NAMES)
def test_node_name(name, call):
    assert call(X2.clone().requires_grad_()).grad_fn.name() == name


@pytest.mark.parametrize(("name", "call"), IMAGE_NAMES.items(), ids=IMAGE_NAMES)
def test_node_name_of_image_functions(name, call):
    assert call(X4.clone().requires_grad_()).grad_fn.name() == name


def test_attention_keeps_no_scores():
    q = randn(1, 1, 500, 4).requires_grad_()
    node = F.scaled_dot_product_attention(q, q, q).grad_fn
    assert max(a.size for a in node.s if isinstance(a, np.ndarray)) == q.numel()


def test_a_changed_weight_is_noticed_in_the_backward_pass():
    x, w = randn(5, 4), randn(4, seed=1).requires_grad_()
    loss = F.layer_norm(x.requires_grad_(), (4,), w).sum()
    with torch.no_grad():
        w.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_ctc_gradient_by_logits_equals_differences():
    logits = randn(6, 2, 4)
    targets = torch.tensor([[1, 2, 2], [3, 1, 0]])

    def loss(x):
        return F.ctc_loss(F.log_softmax(x, 2), targets, (6, 5), (3, 2), reduction="sum")

    leaf = logits.clone().requires_grad_()
    loss(leaf).backward()
    for place in np.ndindex(6, 2, 4):
        step = torch.zeros(6, 2, 4, dtype=torch.float64)
        step[place] = 1e-5
        slope = (loss(logits + step) - loss(logits - step)).item() / 2e-5
        assert abs(slope - leaf.grad[place].item()) < 1e-8


def test_ctc_says_that_it_has_no_second_derivative():
    x = randn(4, 1, 3).requires_grad_()
    loss = F.ctc_loss(F.log_softmax(x, 2), torch.tensor([[1]]), (4,), (1,))
    (grad,) = torch.autograd.grad(loss, x, create_graph=True)
    with pytest.raises(RuntimeError, match="ctc_loss's backward is not implemented"):
        grad.sum().backward()


def test_per_example_gradients_of_a_convolution():
    x, w = randn(5, 3, 6, 6), randn(2, 3, 3, 3, seed=1)

    def loss(w, example):
        return F.conv2d(example.unsqueeze(0), w, padding=1).square().sum()

    together = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, x)
    for k in range(5):
        np.testing.assert_allclose(
            together[k].numpy(), torch.func.grad(loss)(w, x[k]).numpy(), rtol=1e-9
        )


def test_a_target_that_broadcasts_is_warned_about():
    with pytest.warns(UserWarning, match="different to the input size"):
        loss = F.mse_loss(torch.ones(3, 1), torch.zeros(3))
    assert loss.item() == 1.0


def test_old_reduction_flags_still_work():
    with pytest.warns(UserWarning, match="reduction='sum'"):
        assert F.mse_loss(torch.ones(3), torch.zeros(3), size_average=False).item() == 3.0


def test_errors_name_the_users_line_at_any_depth():
    """Also when the call is the first line of a module: nothing is above it on the stack."""
    import subprocess
    import sys

    program = (
        "import chainrule as torch\n"
        "F = torch.nn.functional\n"
        "calls = [lambda: F.conv2d(torch.ones(1, 4, 5, 5), torch.ones(2, 3, 3, 3)),\n"
        "         lambda: F.mse_loss(torch.ones(2), torch.ones(2), reduction='no')]\n"
        "for call in calls:\n"
        "    try: call()\n"
        "    except (RuntimeError, ValueError) as error: print(error)\n"
        "F.layer_norm(torch.ones(2, 3), (4,))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.count("<string>:3") + done.stdout.count("<string>:4") == 2, done.stdout
    assert "RuntimeError: Given normalized_shape=[4]" in done.stderr
    assert "<string>:8" in done.stderr
