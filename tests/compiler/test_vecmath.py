"""The polynomials: their largest error in units of the last place, and their edges."""

import numpy as np
import pytest
from scipy import special

import chainrule as torch
from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.runtime.plan import Plan

pytestmark = pytest.mark.jit


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


# function -> (exact in a wider type, largest error allowed in ulp)
FUNCTIONS = {
    "exp": (np.exp, 1.1),
    "log": (np.log, 1.0),
    "expm1": (np.expm1, 2.0),
    "log1p": (np.log1p, 1.6),
    "tanh": (np.tanh, 2.6),
    "sigmoid": (sigmoid, 2.5),
    "sin": (np.sin, 1.6),
    "cos": (np.cos, 1.6),
}
# As above, in float32 only: float64 asks the C library.
SINGLE = {"erf": (special.erf, 2.6), "erfc": (special.erfc, 8.0)}
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-40, -1e-40, 88.7, -87.4, -103.9, 1e30]


def sample(dtype: str, count: int) -> np.ndarray:
    """Random bit patterns (every exponent), values near zero and of moderate size, and edges."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, count, dtype=np.uint64)
    wild = bits.view("f8") if dtype == "f8" else (bits >> np.uint64(32)).astype("u4").view("f4")
    parts = [wild, rng.uniform(-1, 1, count), rng.uniform(-20, 20, count)]
    parts += [rng.uniform(-110, 100, count), np.array(EDGES)]
    with np.errstate(all="ignore"):
        return np.concatenate([p.astype(dtype) for p in parts])


def compiled(op: str, x: np.ndarray) -> np.ndarray:
    g = Graph()
    g.outputs = [emit(g, op, g.input(x.shape, x.dtype))]
    plan = Plan(g)
    assert plan.segments == 1
    return plan.run([x])[0]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_normal_distribution(dtype):
    x = np.concatenate([np.linspace(-6, 6, 100_001), [0.0, -0.0, 40.0, -40.0, np.inf, -np.inf]])
    x = x.astype(dtype)
    found, exact = compiled("ndtr", x), special.ndtr(x.astype("f8"))
    np.testing.assert_allclose(found, exact, rtol=2e-6 if dtype == "f4" else 1e-14)
    assert np.isnan(compiled("ndtr", np.full(3, np.nan, dtype))).all()


@pytest.mark.parametrize(
    "op, dtype",
    [*((op, d) for op in FUNCTIONS for d in ("f4", "f8")), *((op, "f4") for op in SINGLE)],
)
def test_largest_error(op, dtype):
    exact, limit = {**FUNCTIONS, **SINGLE}[op]
    x = sample(dtype, 100_000)
    got = compiled(op, x)
    with np.errstate(all="ignore"):
        want = exact(x.astype("f8" if dtype == "f4" else np.longdouble))
        rounded = want.astype(dtype)
        ulps = np.abs(got.astype(want.dtype) - want) / np.spacing(np.abs(rounded))
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(got[~finite], rounded[~finite])
    assert ulps[finite].max() <= limit


@pytest.mark.parametrize("op", FUNCTIONS)
@pytest.mark.parametrize("length", [1, 2, 3, 7, 16, 17, 63, 64, 65, 100])
def test_every_row_length(op, length):
    """Whole vectors, masked rests, and loops of any length agree."""
    x = np.linspace(0.1, 3, length).astype("f4")
    np.testing.assert_allclose(compiled(op, x), FUNCTIONS[op][0](x.astype("f8")), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("op", ["sin", "tan", "tanh", "sinh", "asin", "atan", "expm1", "erf"])
def test_negative_zero_keeps_its_sign(op, dtype):
    run = torch.compile(lambda x: getattr(torch, op)(x) * 1.0, fullgraph=True)
    x = torch.from_numpy(np.array([-0.0, 0.0] * 20, dtype))
    for _ in range(4):
        found = run(x)
    assert np.signbit(found.numpy()).tolist() == [True, False] * 20
