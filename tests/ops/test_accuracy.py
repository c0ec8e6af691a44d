"""Long reductions lose no digits: float32 against float64, along any axis of any layout."""

import numpy as np
import pytest

import chainrule as torch
import chainrule.nn.functional as F

ULP = 2.0**-23


def numbers(*shape, offset=0.0, seed=0):
    return (np.random.default_rng(seed).random(shape) + offset).astype(np.float32)


def error(found, exact):
    """The largest error in units of the largest value's last place."""
    exact = np.asarray(exact, np.float64)
    return np.abs(found.detach().double().numpy() - exact).max() / np.abs(exact).max() / ULP


LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.permute(*reversed(range(x.ndim))).contiguous().permute(
        *reversed(range(x.ndim))),
    "every second": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "turned": lambda x: x.flip(-1),
    "expanded": lambda x: x[:1].expand(x.shape),
}  # fmt: skip

REDUCTIONS = {
    "sum": lambda x, dim: x.sum(dim),
    "mean": lambda x, dim: x.mean(dim),
    "nansum": lambda x, dim: x.nansum(dim),
    "norm": lambda x, dim: torch.linalg.vector_norm(x, 2, dim),
    "norm3": lambda x, dim: torch.linalg.vector_norm(x, 3, dim),
    "logsumexp": lambda x, dim: torch.logsumexp(x, dim),
    "var": lambda x, dim: (x + 0).var(dim) + 1,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dim", [0, 1, 2, (0, 2), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_long_reductions_keep_their_digits(name, dim, layout):
    shape = [3, 4, 5]
    for d in (dim,) if isinstance(dim, int) else dim:
        shape[d] *= 6_000 if isinstance(dim, int) else 21
    x = LAYOUTS[layout](torch.from_numpy(numbers(*shape)))
    function = REDUCTIONS[name]
    assert error(function(x, dim), function(x.double(), dim).numpy()) < 3


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
@pytest.mark.parametrize(("shape", "dim"), [((100_000, 3), 0), ((3, 100_000), 1), ((300_000,), 0)])
def test_a_large_mean_does_not_drown_the_variance(name, shape, dim):
    x = numbers(*shape, offset=1e4)
    exact = getattr(x.astype(np.float64), name[:3])(dim, ddof=1)
    found = getattr(torch, name)(torch.from_numpy(x), dim)
    assert error(found if torch.is_tensor(found) else found[0], exact) < 3


@pytest.mark.parametrize(("shape", "dim"), [((300_000,), 0), ((30_000, 3), 0), ((3, 30_000), 1)])
def test_running_sums_and_products_keep_their_digits(shape, dim):
    tenths = torch.full(shape, 0.1)
    steps = np.cumsum(np.full(shape, np.float64(np.float32(0.1))), dim)
    assert error(tenths.cumsum(dim), steps) < 1
    assert (
        error(tenths.logcumsumexp(dim), np.log(np.cumsum(np.exp(tenths.double().numpy()), dim))) < 2
    )
    factors = 1 + (numbers(*shape) - np.float32(0.5)) * np.float32(0.01)
    exact = np.cumprod(factors.astype(np.float64), dim)
    assert error(torch.from_numpy(factors).cumprod(dim), exact) < 1
    assert error(torch.from_numpy(factors).prod(dim), exact.take(-1, dim)) < 1


NORMS = {
    "layer_norm": ((4, 50_000), lambda x, w, b: F.layer_norm(x, (50_000,), w, b), 50_000),
    "rms_norm": ((4, 50_000), lambda x, w, b: F.rms_norm(x, (50_000,), w) + b, 50_000),
    "group_norm": ((2, 4, 30_000), lambda x, w, b: F.group_norm(x, 2, w, b), 4),
    "instance_norm": ((2, 2, 60_000), lambda x, w, b: F.instance_norm(x, weight=w, bias=b), 2),
    "batch_norm": ((20, 2, 5_000), lambda x, w, b: F.batch_norm(x, None, None, w, b, True), 2),
    "of columns": ((50_000, 3), lambda x, w, b: F.batch_norm(x, None, None, w, b, True), 3),
}  # fmt: skip


@pytest.mark.parametrize("name", NORMS)
def test_norms_of_long_rows_keep_their_digits(name):
    shape, function, channels = NORMS[name]
    inputs = [numbers(*shape, offset=1000), numbers(channels, seed=1), numbers(channels, seed=2)]
    direction = numbers(*shape, seed=3)
    results = []
    for dtype in (torch.float32, torch.float64):
        given = [torch.from_numpy(a).to(dtype).requires_grad_() for a in inputs]
        y = function(*given)
        grads = torch.autograd.grad(y, given, torch.from_numpy(direction).to(dtype))
        results.append([y, *grads])
    for found, exact in zip(*results, strict=True):
        assert error(found, exact.detach().numpy()) < 10


SUMS_IN_GRADIENTS = {
    "bias": lambda b: torch.from_numpy(numbers(200_000, 3)) + b,
    "scale": lambda b: torch.from_numpy(numbers(200_000, 3)) * b,
    "middle": lambda b: torch.from_numpy(numbers(30, 3, 5_000)) * b[:, None],
    "conv bias": lambda b: F.conv1d(
        torch.from_numpy(numbers(2, 1, 100_000)).to(b.dtype), b.new_ones(3, 1, 1), b),
    "linear bias": lambda b: F.linear(
        torch.from_numpy(numbers(200_000, 1)).to(b.dtype), b.new_ones(3, 1), b),
}  # fmt: skip


@pytest.mark.parametrize("name", SUMS_IN_GRADIENTS)
def test_gradients_that_sum_over_many_rows_keep_their_digits(name):
    grads = []
    for dtype in (torch.float32, torch.float64):
        b = torch.from_numpy(numbers(3)).to(dtype).requires_grad_()
        y = SUMS_IN_GRADIENTS[name](b)
        y.backward(torch.full(y.shape, 0.1, dtype=torch.float32).to(y.dtype))
        grads.append(b.grad)
    assert error(grads[0], grads[1].numpy()) < 3


@pytest.mark.parametrize("dim", [0, -1])
def test_softmax_of_long_rows_keeps_its_digits(dim):
    x = numbers(150_000, 3) if dim == 0 else numbers(3, 150_000)
    weights = np.exp(x.astype(np.float64))
    exact = weights / weights.sum(dim, keepdims=True)
    assert error(torch.from_numpy(x).softmax(dim), exact) < 4
    assert error(torch.from_numpy(x).log_softmax(dim), np.log(exact)) < 4


def test_sums_do_not_depend_on_the_number_of_threads():
    x = torch.from_numpy(numbers(3000, 300))
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append([x.sum(d).tolist() for d in (0, 1)] + [x.sum().item(), x.var(0).tolist()])
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]


def test_sums_without_machine_code_keep_their_digits(monkeypatch):
    from chainrule.ops import sums

    monkeypatch.setattr(sums, "native_sum", lambda *arguments: None)
    x = torch.full((100_000, 3), 0.1)
    assert error(x.sum(0), np.full(3, 1e5 * np.float64(np.float32(0.1)))) < 1
    assert error(x.t().sum(1), np.full(3, 1e5 * np.float64(np.float32(0.1)))) < 1


def test_complex_sums_keep_their_digits():
    x = torch.full((100_000, 3), 0.1 + 0.2j)
    exact = 1e5 * (np.float64(np.float32(0.1)) + 1j * np.float64(np.float32(0.2)))
    assert abs(x.sum(0)[0].item() - exact) / abs(exact) < 2 * ULP


@pytest.mark.parametrize("how", ["eager", "compiled"])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 4), (8, 8), (1, 5)])
def test_products_of_many_rows_keep_their_digits(m, n, how):
    a, b = numbers(60_000, m), numbers(60_000, n, seed=1)
    exact = a.T.astype(np.float64) @ b.astype(np.float64)
    function = lambda a, b: a.t() @ b  # noqa: E731 - the gradient of a layer's weight
    run = torch.compile(function) if how == "compiled" else function
    found = [run(torch.from_numpy(a), torch.from_numpy(b)) for _ in range(4)][-1]
    assert error(found, exact) < 6
    vector = torch.mv(torch.from_numpy(a).t(), torch.from_numpy(b[:, 0]))
    assert error(vector, exact[:, 0]) < 6


@pytest.mark.parametrize("name", ["std", "var"])
@pytest.mark.parametrize(("shape", "dim"), [((2, 500), 0), ((500, 2), 1), ((3, 200), 0), ((5,), 0)])
def test_the_slope_of_a_spread_of_few_large_numbers(name, shape, dim):
    x = (1e4 + np.random.default_rng(3).normal(size=shape)).astype(np.float32)
    found, exact = (
        torch.tensor(x, dtype=t, requires_grad=True) for t in (torch.float32, torch.float64)
    )
    for t in (found, exact):
        getattr(t, name)(dim).sum().backward()
    assert error(found.grad, exact.grad.numpy()) < 8
    compiled = torch.compile(lambda t: getattr(t, name)(dim).sum())
    for _ in range(3):
        found.grad = None
        compiled(found).backward()
    assert error(found.grad, exact.grad.numpy()) < 8


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1e20, 1e30])
@pytest.mark.parametrize("order", [1.5, 2, 3, -2])
@pytest.mark.parametrize(
    ("shape", "dim"), [((1,), 0), ((2, 4), 1), ((3, 40), 1), ((40, 3), 0), ((3, 1000), 1)]
)
def test_powers_beyond_single_precision_do_not_spoil_norms(order, scale, shape, dim):
    x = (np.random.default_rng(4).normal(size=shape) * scale).astype(np.float32)
    found, exact = (
        torch.tensor(x, dtype=t, requires_grad=True) for t in (torch.float32, torch.float64)
    )
    sizes = [torch.linalg.vector_norm(t, order, dim) for t in (found, exact)]
    assert error(sizes[0], sizes[1].detach().numpy()) < 4
    for size in sizes:
        size.sum().backward()
    assert error(found.grad, exact.grad.numpy()) < 16


def test_norms_of_zeros_and_of_infinity_stay_what_they_are():
    x = torch.zeros(3, 4, requires_grad=True)
    x.norm(dim=1).sum().backward()
    assert x.grad.count_nonzero() == 0
    rows = torch.tensor([[float("inf"), 1.0], [1e-20, 0.0], [float("nan"), 1.0]])
    assert str(rows.norm(dim=1).tolist()) == str([float("inf"), rows[1, 0].item(), float("nan")])


OFFSET_NORMS = {
    "layer_norm": ((64, 512), 512, lambda x, w: F.layer_norm(x, (512,), w)),
    "group_norm": ((4, 8, 6, 6), 8, lambda x, w: F.group_norm(x, 4, w)),
    "batch_norm": ((8, 8, 6, 6), 8, lambda x, w: F.batch_norm(x, None, None, w, training=True)),
    "columns": ((256, 16), 16, lambda x, w: F.batch_norm(x, None, None, w, training=True)),
}


@pytest.mark.parametrize("name", OFFSET_NORMS)
def test_compiled_norms_far_from_zero_keep_their_digits(name):
    shape, size, norm = OFFSET_NORMS[name]
    rng = np.random.default_rng(5)
    data = [(1e4 + rng.normal(size=shape)).astype(np.float32), rng.normal(size=size)]
    seed = rng.normal(size=shape) + 1

    def run(dtype, call, times):
        x, w = (torch.tensor(a, dtype=torch.float32).to(dtype).requires_grad_() for a in data)
        for _ in range(times):
            x.grad = w.grad = None
            out = call(x, w)
            (out * torch.tensor(seed, dtype=dtype)).sum().backward()
        return out, x.grad, w.grad

    exact = run(torch.float64, norm, 1)
    for found, wanted in zip(run(torch.float32, torch.compile(norm), 3), exact, strict=True):
        assert error(found, wanted.detach().numpy()) < 32


@pytest.mark.parametrize("name", OFFSET_NORMS)
def test_tangents_of_norms_far_from_zero_keep_their_digits(name):
    shape, size, norm = OFFSET_NORMS[name]
    rng = np.random.default_rng(6)
    x = (1e4 + rng.normal(size=shape)).astype(np.float32)
    w, t, u = (torch.tensor(rng.normal(size=n), dtype=torch.float32) for n in (size, shape, size))
    found, exact = (
        torch.func.jvp(
            norm, (torch.tensor(x).to(d), w.to(d)), (t.to(d), u.to(d))
        )[1]
        for d in (torch.float32, torch.float64)
    )  # fmt: skip
    assert error(found, exact.numpy()) < 32
