"""Samples of functions of one array, element by element."""

import numpy as np

from ..sample import Sample, bools, cplx, ints, normal, uniform

NAN, INF = float("nan"), float("inf")


def points(*values: float) -> np.ndarray:
    """Given values, for the places where a function is special."""
    return np.array(values, np.float64)


def unary(low: float | None = None, high: float = 1.0, *, complex_too: bool = True) -> list[Sample]:
    """A matrix, a number, an empty array and complex values of a function's domain."""
    made = [normal(3, 4), normal()] if low is None else [
        uniform(3, 4, low=low, high=high), uniform(low=low, high=high)]  # fmt: skip
    samples = [Sample(x) for x in made]
    samples.append(Sample(normal(0, 3)))
    if complex_too:
        samples.append(Sample(cplx(2, 3)))
    return samples


def steps() -> list[Sample]:
    """Values between the steps of a rounding function, and on them."""
    return [Sample(uniform(3, 4, low=-4.3, high=4.4)), Sample(points(-1.5, -0.5, 0.5, 1.5, 2.5,
            -0.0, INF, NAN)).kink(), Sample(normal())]  # fmt: skip


SAMPLES = {
    "abs": [*unary(), Sample(points(0.0, -0.0, NAN, -INF)).kink(),
            Sample(np.array([0j, 3 + 4j])).kink()],
    "acos": unary(-0.9, 0.9),
    "acosh": unary(1.1, 4.0),
    "angle": [*unary(), Sample(points(0.0, -1.0, NAN, -0.0)).kink()],
    "asin": unary(-0.9, 0.9),
    "asinh": unary(),
    "atan": unary(),
    "atanh": unary(-0.9, 0.9),
    "bitwise_not": [Sample(ints(3, low=-4)), Sample(bools(3))],
    "ceil": steps(),
    "clamp": [
        Sample(normal(3, 4), -0.5, 0.7),
        Sample(normal(3, 4), min=0.2),
        Sample(normal(3, 4), max=0.2),
        Sample(normal(3, 4), normal(4, seed=1) - 1, normal(3, 1, seed=2) + 1),
        Sample(normal(3, 4), None, normal(4, seed=3)),
        Sample(points(0.0, 1.0, NAN, -1.0, 2.0, 0.5), 0.0, 1.0).kink(),
        Sample(points(0.0, 1, NAN, -1, 2, 0.5, 0.5, 0.5, 0.2),
               points(0, 0, 0, 0, 0, NAN, 1, 0.5, 0.5),
               points(1, 1, 1, 1, 1, 1, 0, 0.5, 0.5)).kink(),
        Sample(ints(4, low=-3), 0, 2),
        Sample(ints(4, low=-3), 0.5),
    ],
    "conj": unary(),
    "conj_physical": unary(),
    "cos": unary(),
    "cosh": unary(),
    "deg2rad": unary(complex_too=False),
    "exp": unary(),
    "exp2": unary(),
    "expm1": [*unary(), Sample(points(1e-12, -1e-12))],
    "floor": steps(),
    "frac": [Sample(uniform(3, 4, low=-4.3, high=4.4)), Sample(normal()), Sample(normal(0))],
    "frexp": [Sample(normal(3, 4)), Sample(normal()), Sample(points(0.0, 1.0, -8.0, 5e-324))
              .kink().dtypes()],
    "imag": [Sample(cplx(3)), Sample(cplx())],
    "isfinite": [Sample(points(1.0, NAN, INF, -INF)), Sample(cplx(3))],
    "isinf": [Sample(points(1.0, NAN, INF, -INF)), Sample(cplx(3))],
    "isnan": [Sample(points(1.0, NAN, INF, -INF)), Sample(cplx(3))],
    "isneginf": [Sample(points(1.0, NAN, INF, -INF))],
    "isposinf": [Sample(points(1.0, NAN, INF, -INF))],
    "isreal": [Sample(points(1.0, NAN)), Sample(np.array([1 + 0j, 2j]))],
    "log": unary(0.1, 3.0),
    "log10": unary(0.1, 3.0),
    "log1p": [*unary(-0.9, 2.0), Sample(points(1e-12, -1e-12))],
    "log2": unary(0.1, 3.0),
    "logical_not": [Sample(points(0.0, 1.0, NAN)), Sample(bools(3)), Sample(cplx(2))],
    "logit": [
        Sample(uniform(3, 4, low=0.05, high=0.95)),
        Sample(uniform(3, 4, low=0.05, high=0.95), 0.2).kink(),
        Sample(uniform(low=0.05, high=0.95), eps=1e-3),
        Sample(points(0.0, 1.0, 0.5, -1.0, 2.0, NAN)).kink(),
        Sample(points(0.0, 1.0, 0.5, -1.0, 2.0, 0.1, 0.9, NAN), 0.1).kink(),
    ],
    "nan_to_num": [
        Sample(normal(3, 4)),
        Sample(points(NAN, INF, -INF, 1.0)).kink(),
        Sample(points(NAN, INF, -INF, 1.0), nan=2.0, posinf=3.0, neginf=-4.0).kink(),
        Sample(np.array([complex(NAN, 1), complex(2, INF), 1j])).kink(),
    ],
    "neg": unary(),
    "positive": unary(),
    "rad2deg": unary(complex_too=False),
    "real": [Sample(cplx(3)), Sample(normal(3))],
    "reciprocal": unary(0.3, 3.0),
    "resolve_conj": unary(),
    "resolve_neg": unary(),
    "round": [
        Sample(uniform(3, 4, low=-4.3, high=4.4), decimals=2).without("vjp", "jvp", "second",
               because="a step of the difference quotient may cross a hundredth"),
        Sample(uniform(3, low=-400.3, high=400.4), decimals=-2),
        *steps(),
    ],
    "rsqrt": unary(0.1, 3.0),
    "sgn": [*unary(), Sample(points(0.0, -0.0, NAN)).kink(), Sample(np.array([0j, 3 + 4j])).kink()],
    "sigmoid": [*unary(), Sample(points(-1e4, 1e4, -40.0, 40.0))],
    "sign": [*unary(complex_too=False), Sample(points(0.0, -0.0, NAN, INF)).kink()],
    "signbit": [Sample(points(0.0, -0.0, 1.0, -1.0, -INF)), Sample(ints(3, low=-3))],
    "sin": unary(),
    "sinc": [*unary(), Sample(points(0.0, 1e-9, 0.05, -0.08, 0.1, 1.0, 20.5))],
    "sinh": unary(),
    "sqrt": [*unary(0.1, 3.0), Sample(points(0.0, -1.0)).kink()],
    "square": unary(),
    "tan": unary(-1.2, 1.2),
    "tanh": unary(),
    "trunc": steps(),
}  # fmt: skip

NO_COMPLEX = NotImplementedError
ERRORS = {
    "ceil": [(Sample(cplx(2)), NO_COMPLEX, "ceil is not supported for complex inputs")],
    "clamp": [(Sample(normal(3)), RuntimeError, "At least one of 'min' or 'max' must not be None")],
    "floor": [(Sample(cplx(2)), NO_COMPLEX, "floor is not supported for complex inputs")],
    "frexp": [(Sample(ints(3)), RuntimeError, "only supports floating-point dtypes")],
    "imag": [(Sample(normal(3)), RuntimeError, "imag is not implemented for tensors with non-c")],
    "neg": [(Sample(bools(3)), RuntimeError, "Negation, the `-` operator, on a bool tensor")],
    "positive": [(Sample(bools(3)), RuntimeError, "The `+` operator, on a bool tensor")],
    "round": [(Sample(ints(3), decimals=1), NotImplementedError, '"round_cpu" not implemented')],
    "sign": [(Sample(cplx(2)), NO_COMPLEX, "Please use torch.sgn instead")],
    "bitwise_not": [(Sample(normal(2)), RuntimeError, '"bitwise_not_cpu" not implemented for')],
    "tanh": [(Sample("text"), TypeError, "tanh(): argument 'input' (position 1) must be Tensor")],
}
