"""Compiled sums lose no digits, however long: float32 against float64."""

import numpy as np
import pytest

import chainrule as torch
import chainrule.nn.functional as F

ULP = 2.0**-23


def numbers(*shape, offset=0.0, seed=0):
    return (np.random.default_rng(seed).random(shape) + offset).astype(np.float32)


def compiled(function, *inputs):
    run = torch.compile(function, fullgraph=True)
    return [run(*inputs) for _ in range(4)][-1]


def error(found, exact):
    exact = np.asarray(exact, np.float64)
    return np.abs(found.detach().double().numpy() - exact).max() / np.abs(exact).max() / ULP


FUNCTIONS = {
    "sum": lambda x, dim: (x * 1.5).sum(dim),
    "mean": lambda x, dim: (x * 1.5).mean(dim),
    "squares": lambda x, dim: (x * x).sum(dim),
    "in a row": lambda x, dim: (x - x.mean(dim, keepdim=True)).abs().mean(dim),
    "logsumexp": lambda x, dim: torch.logsumexp(x * 1.5, dim),
    "var": lambda x, dim: x.var(dim),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("shape", "dim"),
    [((300_000,), 0), ((50_021, 3), 0), ((3, 50_021), 1), ((20_000, 64), 0), ((7, 5_003, 5), 1),
     ((300, 301), (0, 1)), ((40, 3, 2_000), (0, 2))],
    ids=str,
)  # fmt: skip
def test_long_compiled_sums_keep_their_digits(name, shape, dim):
    x = torch.from_numpy(numbers(*shape))
    function = FUNCTIONS[name]
    found = compiled(lambda x: function(x, dim), x)
    assert error(found, function(x.double(), dim).numpy()) < 4


def test_a_constant_summed_many_times():
    x = torch.full((100_000, 5), 0.1)
    exact = 1e5 * np.float64(np.float32(0.1))
    assert error(compiled(lambda x: (x + 0).sum(0), x), np.full(5, exact)) < 2
    assert error(compiled(lambda x: (x + 0).sum(), x), 5 * exact) < 2
    assert error(compiled(lambda x: (x + 0).sum(1), x.t().contiguous()), np.full(5, exact)) < 2


def test_a_large_mean_does_not_drown_a_compiled_variance():
    x = numbers(50_000, 3, offset=1e4)
    found = compiled(lambda x: x.var(0), torch.from_numpy(x))
    assert error(found, x.astype(np.float64).var(0, ddof=1)) < 4


def test_compiled_gradients_that_sum_over_many_rows():
    x, w = torch.from_numpy(numbers(20_011, 3)), torch.from_numpy(numbers(3, seed=1))
    b = torch.zeros(3)

    def gradients(x, w, b):
        w, b = w.detach().requires_grad_(), b.detach().requires_grad_()
        y = F.layer_norm(x, (3,), w, b)
        return torch.autograd.grad(y, (w, b), y.detach() * 0 + x)

    exact = gradients(x.double(), w.double(), b.double())
    for found, want in zip(compiled(gradients, x, w, b), exact, strict=True):
        assert error(found, want.numpy()) < 4


def test_compiled_sums_do_not_depend_on_the_number_of_threads():
    x = torch.from_numpy(numbers(3000, 300))
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            run = torch.compile(lambda x: ((x * 2).sum(0), (x * 2).sum(1), (x * 2).sum()))
            found.append([t.tolist() for t in [run(x) for _ in range(4)][-1]])
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("size", (1e-23, 1e22))
def test_a_deviation_whose_square_leaves_the_range(size):
    x = torch.tensor([[1.0, 3.0, 2.0], [-1.0, 0.5, 0.25]]) * size
    run = torch.compile(lambda x: (x.std(-1), x.std()))
    want = (x.double().std(-1), x.double().std())
    for _ in range(4):
        for got, exact in zip(run(x), want, strict=True):
            assert torch.allclose(got.double(), exact, rtol=1e-6, atol=0.0)
