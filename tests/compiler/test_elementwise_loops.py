"""Elementwise functions become loops, with eager's values and gradients at awkward places too."""

import numpy as np
import pytest

import chainrule as torch

pytestmark = pytest.mark.jit

INF, NAN = float("inf"), float("nan")
EDGES = [-INF, -3.0, -1.0, -0.25, -0.0, 0.0, 1e-9, 0.25, 0.5, 0.999, 1.0, 2.5, 40.0, INF, NAN]
MASK = [i % 3 == 0 for i in range(len(EDGES))]

ONE = {
    "logit": torch.logit,
    "logit_eps": lambda x: torch.logit(x, 0.3),
    "sinc": torch.sinc,
    "nan_to_num": lambda x: torch.nan_to_num(x, 7.0, 8.0, -9.0),
    "softshrink": lambda x: torch.nn.functional.softshrink(x, 0.4),
    "sgn": torch.sgn,
    "angle": torch.angle,
    "masked_fill": lambda x: x.masked_fill(torch.tensor(MASK), -INF),
    "entr": torch.special.entr,
    "erfcx": torch.special.erfcx,
    "erfinv": torch.erfinv,
    "log_ndtr": torch.special.log_ndtr,
    "ndtri": torch.special.ndtri,
    "lgamma": torch.lgamma,
    "digamma": lambda x: torch.digamma(x.detach()),  # its slope has no loop
    "mvlgamma": lambda x: torch.mvlgamma(x.abs() + 2, 3),
    "i0": torch.i0,
    "i0e": torch.special.i0e,
    "i1": torch.special.i1,
    "i1e": torch.special.i1e,
    "bessel_j0": torch.special.bessel_j0,
    "bessel_j1": torch.special.bessel_j1,
    "bessel_y0": torch.special.bessel_y0,
    "bessel_y1": torch.special.bessel_y1,
    "modified_bessel_k0": torch.special.modified_bessel_k0,
    "scaled_modified_bessel_k1": torch.special.scaled_modified_bessel_k1,
    "spherical_bessel_j0": torch.special.spherical_bessel_j0,
}
TWO = {
    "xlogy": torch.xlogy,
    "xlog1py": torch.special.xlog1py,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "div_trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "nextafter": torch.nextafter,
    "igamma": lambda a, x: torch.igamma(a.detach(), x),
    "masked_fill_tensor": lambda a, b: a.masked_fill(torch.tensor(MASK * len(EDGES)), b.sum()),
}


def check(functions, *arrays):
    """The same values and gradients compiled as eager, and no step outside of machine code."""

    def both(*xs):
        found = []
        for function in functions.values():
            y = function(*xs)
            given = torch.ones_like(y)
            grads = torch.autograd.grad(y, xs, given, allow_unused=True) if y.requires_grad else ()
            found.append((y.detach(), *grads))
        return found

    compiled = torch.compile(both, fullgraph=True)
    for _ in range(4):
        xs = [torch.tensor(a, requires_grad=True) for a in arrays]
        want, got = both(*xs), compiled(*xs)
    for name, expected, found in zip(functions, want, got, strict=True):
        for w, g in zip(expected, found, strict=True):
            assert (w is None) == (g is None)
            if w is not None:
                tolerance = 2e-5 if w.dtype == torch.float32 else 1e-12
                np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance, err_msg=name)
    assert "extern" not in compiled.explain(), compiled.explain()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_of_one_number(dtype):
    check(ONE, np.array(EDGES, dtype))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_of_two_numbers(dtype):
    a, b = np.meshgrid(np.array(EDGES, dtype), np.array(EDGES, dtype))
    check(TWO, a.reshape(-1), b.reshape(-1))


def test_a_masked_softmax_is_one_plan_of_loops():
    def attention(x, hit):
        return torch.softmax(x.masked_fill(hit, -INF), -1)

    compiled = torch.compile(attention, fullgraph=True)
    x, hit = torch.randn(6, 9), torch.randn(6, 9) > 0.5
    for _ in range(4):
        result = compiled(x, hit)
    torch.testing.assert_close(result, attention(x, hit))
    assert "extern" not in compiled.explain()


def test_tests_of_single_values():
    def tests(x):
        return torch.isposinf(x), torch.isneginf(x), torch.signbit(x), torch.heaviside(x, x + 2)

    compiled = torch.compile(tests, fullgraph=True)
    for x in (torch.tensor(EDGES), torch.tensor([-3, 0, 5])):
        for _ in range(4):
            results = compiled(x)
        for have, want in zip(results, tests(x), strict=True):
            np.testing.assert_array_equal(have.numpy(), want.numpy())
