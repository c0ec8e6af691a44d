"""Samples of the special functions."""

import numpy as np

from ..sample import Sample, ints, normal, uniform

NAN, INF = float("nan"), float("inf")


def points(*values: float) -> np.ndarray:
    """Given values, for the places where a function is special."""
    return np.array(values, np.float64)


def unary(low: float = -3.0, high: float = 3.0, edges: tuple[float, ...] = ()) -> list[Sample]:
    """A matrix, a number, an empty array of a function's domain, and its special places."""
    samples = [Sample(uniform(3, 4, low=low, high=high)), Sample(uniform(low=low, high=high)),
               Sample(normal(0, 3))]  # fmt: skip
    if edges:
        samples.append(Sample(points(*edges)).kink())
    return samples


def polynomial() -> list[Sample]:
    """A degree as a number, as a tensor that broadcasts, and degrees without a polynomial."""
    x = uniform(4, low=-1.5, high=1.5)
    return [Sample(x, 3), Sample(x, ints(2, 1, low=0, high=6)), Sample(x, -1), Sample(x, 0),
            Sample(points(-1.0, 0.0, 1.0), 4)]  # fmt: skip


SAMPLES = {
    "erf": unary(edges=(0.0, INF, -INF, NAN)),
    "erfc": unary(edges=(0.0, 25.0, INF, -INF, NAN)),
    "special.erfcx": unary(edges=(25.0, -INF, NAN)),
    "erfinv": unary(-0.9, 0.9, (-1.0, 1.0, 1.5, NAN)),
    # PyTorch's ndtr cancels for negative x in single precision.
    "special.ndtr": [s.dtypes("complex64") for s in unary(edges=(INF, -INF, NAN))],
    "special.log_ndtr": unary(edges=(-30.0, 30.0, NAN)),
    "special.ndtri": unary(0.1, 0.9, (0.0, 1.0, 1.5, NAN)),
    "lgamma": [*unary(0.2, 4.0, (0.0, -1.0, INF, -INF, NAN)), Sample(points(-0.5, -1.3))],
    "digamma": [*unary(0.2, 4.0, (0.0, -0.0, INF, NAN)), Sample(points(-0.5, -1.3))],
    "mvlgamma": [Sample(uniform(3, low=2.0, high=5.0), p) for p in (1, 2, 4)],
    "polygamma": [Sample(n, uniform(4, low=0.3, high=4.0)) for n in (0, 1, 2, 4)],
    "special.polygamma": [Sample(1, uniform(4, low=0.3, high=4.0))],
    "igamma": [Sample(uniform(3, low=0.5, high=4.0, seed=1), uniform(3, low=0.3, high=4.0)),
               Sample(points(0.0, -1.0, 1.0, 0.0), points(1.0, 1.0, 0.0, 0.0)).without(
                   "vjp", "mask", because="the derivative by the first input is unknown")],
    "igammac": [Sample(uniform(3, low=0.5, high=4.0, seed=1), uniform(3, low=0.3, high=4.0))],
    "special.zeta": [Sample(2.5, uniform(4, low=0.3, high=4.0)),
                     Sample(3, uniform(4, low=0.3, high=4.0))],
    "special.entr": unary(0.1, 3.0, (0.0, -1.0, INF, NAN)),
    "special.xlog1py": [Sample(normal(3), uniform(3, low=-0.5, high=3.0)),
                        Sample(normal(3, 1), uniform(4, low=-0.5, high=3.0)),
                        Sample(2, uniform(3, low=-0.5, high=3.0)), Sample(normal(3), 2.0),
                        Sample(points(0.0, 0.0, 0.0), points(-1.0, NAN, INF)).kink()],
    "i0": unary(edges=(0.0, NAN)),
    "special.i0e": unary(edges=(0.0, INF, NAN)),
    "special.i1": unary(edges=(0.0,)),
    "special.i1e": unary(edges=(0.0, INF)),
    "special.bessel_j0": unary(),
    "special.bessel_j1": unary(),
    # PyTorch's Y0 and Y1 have eight digits.
    "special.bessel_y0": [s.loose(1e-7) for s in unary(0.3, 5.0, (0.0, -1.0))],
    "special.bessel_y1": [s.loose(1e-7) for s in unary(0.3, 5.0, (0.0, -1.0))],
    "special.modified_bessel_i0": unary(),
    "special.modified_bessel_i1": unary(),
    "special.modified_bessel_k0": unary(0.3, 5.0, (0.0, -1.0)),
    "special.modified_bessel_k1": unary(0.3, 5.0, (0.0, -1.0)),
    "special.scaled_modified_bessel_k0": unary(0.3, 5.0, (0.0, -1.0)),
    "special.scaled_modified_bessel_k1": unary(0.3, 5.0, (0.0, -1.0)),
    "special.spherical_bessel_j0": unary(edges=(0.0, INF, NAN)),
    # PyTorch's Ai is wrong in the seventh digit for x < -2.09.
    "special.airy_ai": unary(-2.0, 3.0),
    **{f"special.{family}": polynomial() for family in (
        "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
        "chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
        "laguerre_polynomial_l", "legendre_polynomial_p", "shifted_chebyshev_polynomial_t",
        "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
        "shifted_chebyshev_polynomial_w")},
}  # fmt: skip

ERRORS = {
    "erf": [(Sample(np.array([1j])), NotImplementedError, "not implemented for 'ComplexDouble'")],
    "polygamma": [(Sample(-1, normal(3)), RuntimeError,
                   "polygamma(n, x) does not support negative n")],
    "mvlgamma": [(Sample(normal(3), 0), RuntimeError, "p has to be greater than or equal to 1")],
}  # fmt: skip
