"""Kernels of single elements say what their formulas say, for every size and kind of number."""

import numpy as np
import pytest
import scipy.special

import chainrule as torch
from chainrule.ops.formulas import FORMULAS, Formula
from chainrule.ops.kernels import fast

EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -3.0, 3.0, 0.5, -0.5, 20.0, -100.0]
SHAPES = [(0,), (1,), (7,), (3, 37), (300, 257)]
NUMBERS = {"low": -1.0, "high": 0.75, "limit": 0.5, "value": -2.0, "threshold": 20.0, "rate": 1.25}
FORMULAS_OF_ELEMENTS = [f for f in FORMULAS.values() if isinstance(f, Formula)]
EXACT = {"erf": scipy.special.erf, "erfc": scipy.special.erfc}  # NumPy has no words for them


def numbers_of(formula):
    return [NUMBERS.get(n, 1.5) for n in formula.names[len(formula.arrays) :]]


def arrays_of(formula, shape, dtype):
    rng = np.random.RandomState(len(formula.name))
    size = int(np.prod(shape))
    found = []
    for k, _ in enumerate(formula.arrays):
        values = rng.standard_normal(size) * 3
        values[: len(EDGES)] = np.roll(EDGES, k)[: min(size, len(EDGES))]
        found.append(values.astype(dtype).reshape(shape))
    return found


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("formula", FORMULAS_OF_ELEMENTS, ids=lambda f: f.name)
def test_a_kernel_computes_its_formula(formula, shape):
    for dtype in (np.float32, np.float64):
        arrays = arrays_of(formula, shape, dtype)
        got = getattr(fast, formula.name)(*arrays, *numbers_of(formula))
        if got is None:
            continue
        exact = EXACT.get(formula.name)
        want = exact(*arrays) if exact else formula.by_numpy(*arrays, *numbers_of(formula))
        assert got.dtype == dtype and got.shape == shape
        tolerance = (3e-6, 5e-5) if dtype == np.float32 else (1e-14, 1e-13)
        np.testing.assert_allclose(got, want, *tolerance, equal_nan=True)


@pytest.mark.parametrize("far", [2e5, 1e30, np.inf, np.nan])
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_waves_of_large_arguments_are_left_to_numpy(name, far):
    x = np.linspace(-1e5, 1e5, 40_000, dtype=np.float32)
    assert np.abs(getattr(fast, name)(x) - getattr(np, name)(x)).max() < 2e-7
    x[30_000] = far
    assert getattr(fast, name)(x) is None
    tensor = torch.tensor(x, requires_grad=True)
    result = getattr(torch, name)(tensor)
    result.backward(torch.ones_like(result))
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(result.detach().numpy(), getattr(np, name)(x), atol=2e-7)
        slope = np.cos(x) if name == "sin" else -np.sin(x)
    np.testing.assert_allclose(tensor.grad.numpy(), slope, atol=2e-7)


@pytest.mark.parametrize("bounds", [(-0.5, 0.5), (0.5, -0.5), (None, 0.25), (-1, None), (0, 1)])
def test_clamps_by_numbers(bounds):
    values = np.resize(np.array([*EDGES, 0.25, 0.75], np.float32), (300, 257))
    limits = [None if b is None else torch.tensor(float(b)) for b in bounds]
    for layout in (values, values.T, values[:, ::2]):
        found = []
        for chosen in (bounds, limits):
            x = torch.from_numpy(layout.copy(order="K")).requires_grad_()
            y = x.clamp(*chosen)
            y.sum().backward()
            found.append((y.detach().numpy(), x.grad.numpy()))
        np.testing.assert_array_equal(found[0][0], found[1][0])
        np.testing.assert_array_equal(found[0][1], found[1][1])


def test_gradients_of_strided_memory_are_the_same():
    rows = torch.randn(64, 90)
    for function in (torch.abs, torch.sign, torch.nn.functional.softplus, torch.exp, torch.erf):
        grads = []
        for x in (rows.T.contiguous(), rows.T):
            leaf = x.detach().requires_grad_()
            function(leaf).backward(torch.ones(90, 64))
            grads.append(leaf.grad.numpy())
        np.testing.assert_allclose(grads[0], grads[1], 1e-6, 1e-6)
    permuted = torch.randn(4, 50, 6, 7).permute(2, 0, 3, 1)
    for layout in (permuted, permuted[:, ::2], permuted.expand(6, 4, 7, 50)):
        for function in (torch.nn.functional.silu, torch.nn.functional.gelu, torch.erf):
            leaf = layout.detach().requires_grad_()
            value = function(leaf)
            value.backward(
                torch.ones(value.shape).permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0)
            )
            plain = layout.contiguous().requires_grad_()
            expected = function(plain)
            expected.sum().backward()
            np.testing.assert_allclose(value.detach(), expected.detach(), 1e-6, 1e-6)
            np.testing.assert_allclose(leaf.grad, plain.grad, 1e-6, 1e-6)
    nothing = torch.tensor([[float("nan"), -2.0]] * 3).T.requires_grad_()
    nothing.abs().sum().backward()
    assert nothing.grad.tolist() == [[0.0] * 3, [-1.0] * 3]
