"""The largest error of each compiled float32 function over all 2^32 inputs, in ulp.

    python tools/measure_ulp.py exp sin ...      (default: all; about a minute each)

The exact value is the float64 function; its own error is below a millionth of a float32 ulp.
"""

import sys

import numpy as np
from scipy import special

from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.runtime.plan import Plan


def sigmoid(x: np.ndarray) -> np.ndarray:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


EXACT = {
    "exp": np.exp, "log": np.log, "expm1": np.expm1, "log1p": np.log1p, "tanh": np.tanh,
    "sigmoid": sigmoid, "sin": np.sin, "cos": np.cos, "erf": special.erf, "erfc": special.erfc,
}  # fmt: skip
CHUNK = 1 << 24


def largest_error(name: str) -> tuple[float, float]:
    """The largest error in ulp, and where it is; a wrong NaN or infinity counts as infinite."""
    g = Graph()
    g.outputs = [emit(g, name, g.input((CHUNK,), np.float32))]
    plan = Plan(g)
    worst, where = 0.0, 0.0
    for start in range(0, 1 << 32, CHUNK):
        x = np.arange(start, start + CHUNK, dtype=np.uint64).astype(np.uint32).view(np.float32)
        with np.errstate(all="ignore"):
            exact = EXACT[name](x.astype(np.float64))
            rounded = exact.astype(np.float32)
            (got,) = plan.run([x])
            error = np.abs(got.astype(np.float64) - exact) / np.spacing(np.abs(rounded))
        strange = ~np.isfinite(rounded)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        error = np.where(strange, np.where(same, 0.0, np.inf), error)
        i = int(np.nanargmax(error))
        if error[i] > worst:
            worst, where = float(error[i]), float(x[i])
    return worst, where


if __name__ == "__main__":
    for chosen in sys.argv[1:] or EXACT:
        error, place = largest_error(chosen)
        print(f"{chosen:8} {error:8.3f} ulp at {place!r}", flush=True)
