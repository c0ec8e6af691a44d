"""Products of bfloat16 by the processor's own instructions: sums in float32, no element beyond."""

import ml_dtypes
import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.machine import host
from chainrule.compiler.products import offered
from chainrule.nn import functional as F

pytestmark = [
    pytest.mark.jit,
    pytest.mark.skipif(not host.multiplies_halves(), reason="the processor has no such products"),
]
HALF = np.dtype(ml_dtypes.bfloat16)


def product():
    made = offered.shared()
    assert made is not None and made.has(HALF)
    return made


def exact(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def laid_out(x, order):
    """The same matrix, with other strides: rows, columns, or a window of a larger one."""
    if order == "window":
        larger = np.full((x.shape[0] + 2, x.shape[1] + 3), np.nan).astype(x.dtype)
        larger[1:-1, 1:-2] = x
        return larger[1:-1, 1:-2]
    return np.asarray(x, order=order)


@pytest.mark.parametrize("left", ["C", "F", "window"])
@pytest.mark.parametrize("right", ["C", "F", "window"])
def test_every_size_and_layout_gives_the_product(left, right):
    random = np.random.default_rng(0)
    for m, k, n in ((8, 8, 8), (45, 301, 85), (17, 9, 49), (64, 529, 33), (9, 1057, 16)):
        a = random.standard_normal((m, k)).astype(HALF)
        b = random.standard_normal((k, n)).astype(HALF)
        found = product().compute(laid_out(a, left), laid_out(b, right), 1)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact(a, b), atol=2e-6 * k)


def test_what_lies_behind_an_odd_row_is_not_multiplied():
    memory = np.full(33 * 41 + 1, np.nan).astype(HALF)
    a = memory[:-1].reshape(33, 41)
    a[:] = 1
    found = product().compute(a, np.ones((41, 16), HALF), 1)
    np.testing.assert_array_equal(found, 41)


def test_bits_do_not_depend_on_the_number_of_threads():
    random = np.random.default_rng(1)
    a = random.standard_normal((200, 700)).astype(HALF)
    b = random.standard_normal((700, 300)).astype(HALF)
    one, three = (product().compute(a, b, threads) for threads in (1, 3))
    np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("size", [7, 130])
def test_eager_products_round_the_exact_sum_once(size):
    random = np.random.default_rng(2)
    for shape in ((size, size), (3, size, size)):
        a = torch.tensor(random.standard_normal(shape)).bfloat16()
        b = torch.tensor(random.standard_normal(shape)).bfloat16()
        want = exact(a.double().numpy(), b.double().numpy())
        assert (a @ b).dtype == torch.bfloat16
        np.testing.assert_allclose((a @ b).double().numpy(), want, rtol=2**-8, atol=1e-5)


PRODUCTS = {
    "matrices": (lambda a, b: a @ b, (40, 130), (130, 90)),
    "stacks": (torch.bmm, (6, 40, 130), (6, 130, 90)),
    "a stack and a matrix": (lambda a, b: a @ b, (5, 40, 130), (130, 90)),
    "stacks that are repeated": (lambda a, b: a @ b, (2, 1, 40, 130), (5, 130, 90)),
    "a layer": (F.linear, (40, 130), (90, 130), (90,)),
    "a layer without bias": (F.linear, (3, 40, 130), (90, 130)),
    "added": (lambda a, b, c: torch.addmm(c, a, b, alpha=2), (40, 130), (130, 90), (40, 90)),
}


@pytest.mark.parametrize("case", PRODUCTS)
def test_gradients_are_rounded_once(case):
    function, *shapes = PRODUCTS[case]
    halves = [torch.randn(*shape).bfloat16().requires_grad_() for shape in shapes]
    doubles = [x.detach().double().requires_grad_() for x in halves]
    result = function(*halves)
    g = torch.randn(*result.shape).bfloat16()
    result.backward(g)
    function(*doubles).backward(g.double())
    for half, double in zip(halves, doubles, strict=True):
        assert half.grad.dtype == torch.bfloat16
        want = double.grad.numpy()
        found = half.grad.double().numpy()
        np.testing.assert_allclose(found, want, rtol=2**-8, atol=1e-4)


def training_step(compiled):
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(96, 128), torch.nn.GELU(), torch.nn.Linear(128, 64, bias=False)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x, y):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return torch.compile(step, fullgraph=True) if compiled else step


def test_a_compiled_step_under_autocast_gives_eager_numbers():
    x, y = torch.randn(80, 96), torch.randn(80, 64)
    eager, compiled = training_step(False), training_step(True)
    for _ in range(5):
        assert compiled(x, y).item() == pytest.approx(eager(x, y).item(), rel=1e-3)
    assert str(compiled.explain()).count("gemm bf16") == 5  # two forward, three for gradients
