"""Samples of functions of two and three arrays that broadcast."""

import numpy as np

from ..sample import Sample, bools, cplx, ints, normal, uniform
from .elementwise import INF, NAN, points


def pair(*, numbers: bool = True, complex_too: bool = True) -> list[Sample]:
    """Equal shapes, broadcasting, a 0-dim tensor, a number, and complex values."""
    samples = [
        Sample(normal(3, 4), normal(3, 4, seed=1)),
        Sample(normal(3, 1), normal(4, seed=1)),
        Sample(normal(2, 3), normal(seed=2)),
    ]
    if numbers:
        samples.append(Sample(normal(2, 3), 1.5))
    if complex_too:
        samples.append(Sample(cplx(3), cplx(3, seed=1)))
        samples.append(Sample(normal(3), cplx(3, seed=1)))
    return samples


def positive_pair(low: float = 0.4, high: float = 3.0) -> list[Sample]:
    """The same with values in an interval."""
    return [
        Sample(uniform(3, 4, low=low, high=high), uniform(3, 4, low=low, high=high, seed=1)),
        Sample(uniform(3, 1, low=low, high=high), uniform(4, low=low, high=high, seed=1)),
        Sample(uniform(low=low, high=high), uniform(2, low=low, high=high, seed=1)),
    ]


def reflected() -> list[Sample]:
    """A tensor and a number, for the operators whose left operand is the number."""
    return [Sample(uniform(2, 3, low=0.4, high=3.0), 2.5), Sample(uniform(low=0.4, high=3.0), 2)]


def divisions() -> list[Sample]:
    """Signs, infinities and integers."""
    top = points(5, -5, 5, -5, 1, INF, 1, -1)
    bottom = points(3, 3, -3, -3, 0.0, 3, INF, INF)
    return [
        Sample(uniform(3, 4, low=1.0, high=9.0), uniform(4, low=2.1, high=2.4, seed=1)),
        Sample(normal(2, 3) * 4, 1.5),
        Sample(top, bottom).kink(),
        Sample(ints(5, low=-9, high=9), 1 + ints(5, seed=3)),
        Sample(ints(5, low=-9, high=9), -3),
    ]


def comparisons() -> list[Sample]:
    """Ties, NaN, numbers, mixed types."""
    return [
        Sample(points(1, 2, 3, NAN), points(2, 2, 2, NAN)),
        Sample(ints(2, 3), ints(3, seed=5)),
        Sample(normal(2, 3), 0.5),
        Sample(ints(4), 1.5),
        Sample(bools(4), ints(4)),
    ]


def bits() -> list[Sample]:
    """Integers, an integer and a number, bools."""
    return [*integers(), Sample(ints(4, high=9), 6), Sample(bools(4), bools(4, seed=1))]


def integers() -> list[Sample]:
    """Integers that broadcast."""
    return [Sample(ints(2, 3, high=9), ints(3, high=9, seed=1))]


def ties() -> list[Sample]:
    """For maximum and its kin: ordinary values, then ties and NaN."""
    return [
        Sample(normal(3, 4), normal(3, 4, seed=1)),
        Sample(normal(3, 1), normal(4, seed=1)),
        Sample(points(NAN, 1, 2, 1, NAN), points(1, NAN, 2, 3, NAN)).kink(),
        Sample(ints(4), ints(4, seed=1)),
    ]


SAMPLES = {
    "add": [*pair(), Sample(normal(3), normal(3, seed=1), alpha=2.5), Sample(normal(3), 2, alpha=3),
            Sample(ints(3), ints(3), alpha=2), Sample(bools(3), bools(3, seed=1))],
    "sub": [*pair(), Sample(normal(3), normal(3, seed=1), alpha=2.5)],
    "rsub": [Sample(normal(3), normal(3, seed=1)), Sample(normal(3), 2.0, alpha=1.5)],
    "mul": [*pair(), Sample(ints(3), 2.5), Sample(bools(3), bools(3, seed=1))],
    "div": [
        *pair(),
        Sample(ints(3), 1 + ints(3)),
        *(Sample(*s.args, rounding_mode="floor") for s in divisions()[:2]),
        *(Sample(*s.args, rounding_mode="trunc") for s in divisions()[:2]),
        Sample(*divisions()[2].args, rounding_mode="floor").kink(),
        Sample(*divisions()[2].args, rounding_mode="trunc").kink(),
        Sample(*divisions()[3].args, rounding_mode="floor"),
        Sample(*divisions()[3].args, rounding_mode="trunc"),
    ],
    "true_divide": [Sample(normal(3), normal(3, seed=1))],
    "floor_divide": divisions(),
    "remainder": divisions(),
    "fmod": divisions(),
    "pow": [
        *positive_pair(),
        Sample(uniform(2, 3, low=0.4, high=3.0), 2),
        *(Sample(uniform(4, low=0.4, high=3.0), p) for p in (0, 1, 3, 0.5, -0.5, -1, -2, 2.5)),
        Sample(2.5, normal(2, 3)),
        Sample(normal(4), 3),
        Sample(points(0, 0, 0, -1, -2, 2), points(0, 2, -1, 2, 0.5, 0)).kink(),
        *(Sample(points(0, -1, 2), p).kink() for p in (0, 0.5, 1, 2, -1)),
        *(Sample(p, points(0, -1, 2)).kink() for p in (0, 0.5, 1, 2, -1)),
        Sample(cplx(3), cplx(3, seed=1)),
        Sample(cplx(3), 2),
        Sample(ints(4, low=-3), ints(4, seed=1)),
        Sample(ints(4, low=-2, high=3), ints(4, low=-2, high=3, seed=1)),
        Sample(ints(4, low=-3), 2),
        Sample(ints(4), 0.5),
    ],
    "float_power": [*positive_pair(), Sample(uniform(3, low=0.4, high=3.0), 2.5),
                    Sample(2.5, normal(3)), Sample(ints(3), 2)],
    "atan2": [*pair(numbers=False, complex_too=False), Sample(points(0, 0, 1), points(0, 1, 0))
              .kink()],
    "hypot": [*pair(numbers=False, complex_too=False), Sample(points(0, 0, 1), points(0, 1, 0))
              .kink()],
    "copysign": [*pair(complex_too=False),
                 Sample(points(0, 1, -1, NAN, -0.0), points(-1, -0.0, 0, -1, NAN)).kink()],
    "logaddexp": [*pair(numbers=False, complex_too=False),
                  Sample(points(-INF, INF, INF, 1, 1e4), points(1, INF, 1, INF, -1e4)).kink(),
                  Sample(cplx(3), cplx(3, seed=1))],
    "logaddexp2": pair(numbers=False, complex_too=False),
    "xlogy": [*positive_pair(), Sample(uniform(3, low=0.2, high=2.0), 2.5),
              Sample(2.5, uniform(3, low=0.2, high=2.0)),
              Sample(points(0, 0, 0, 1, NAN, 2), points(0, -1, NAN, 0, 1, INF)).kink()],
    "ldexp": [Sample(normal(3, 4), ints(4, low=-2, high=3)).without("recorded_gradient", because=
              "PyTorch's gradient takes 2 ** -1 of integers to be 0"),
              Sample(normal(3), normal(3, seed=1))],
    "lerp": [
        Sample(normal(3, 4), normal(3, 4, seed=1), 0.3),
        Sample(normal(3, 4), normal(4, seed=1), 0.8),
        Sample(normal(3, 4), normal(3, 4, seed=1), uniform(3, 1, low=-0.3, high=1.3)),
        Sample(cplx(3), cplx(3, seed=1), 0.3),
    ],
    "addcmul": [
        Sample(normal(3, 4), normal(3, 1, seed=1), normal(4, seed=2)),
        Sample(normal(3), normal(3, seed=1), normal(3, seed=2), value=-1.5),
        Sample(ints(3), ints(3), ints(3), value=2),
    ],
    "addcdiv": [
        Sample(normal(3, 4), normal(3, 1, seed=1), uniform(4, low=0.5, high=2.0)),
        Sample(normal(3), normal(3, seed=1), uniform(3, low=0.5, high=2.0), value=-1.5),
    ],
    "maximum": ties(),
    "minimum": ties(),
    "fmax": ties(),
    "fmin": ties(),
    "clamp_min": [Sample(normal(3, 4), 0.2), Sample(normal(3, 4), normal(4, seed=3)),
                  Sample(points(0.0, 1.0, NAN, -1.0), 0.0).kink()],
    "clamp_max": [Sample(normal(3, 4), 0.2), Sample(normal(3, 4), normal(4, seed=3)),
                  Sample(points(0.0, 1.0, NAN, -1.0), 0.0).kink()],
    "where": [
        Sample(bools(3, 4), normal(3, 4), normal(4, seed=1)),
        Sample(bools(3, 1), normal(4), 2.5),
        Sample(bools(3), 1.5, normal(2, 3)),
        Sample(bools(3), 1.5, 2),
        Sample(bools(3), 1, 2),
        Sample(bools(3), ints(3), normal(3)),
        Sample(bools(3), cplx(3), cplx(3, seed=1)),
        Sample(bools(2, 3)).without("batch", because="the number of results depends on the data"),
    ],
    "heaviside": [Sample(points(0, 1, -1, NAN), points(5, 5, 5, 5)), Sample(ints(3, low=-1),
                  ints(3))],
    "nextafter": [Sample(points(0, 1, -1, 1e300), points(3, 0, -1, INF)).kink().dtypes()],
    "gcd": integers(),
    "lcm": integers(),
    "eq": [*comparisons(), Sample(cplx(3), cplx(3))],
    "ne": [*comparisons(), Sample(cplx(3), cplx(3))],
    "lt": comparisons(),
    "le": comparisons(),
    "gt": comparisons(),
    "ge": comparisons(),
    "logical_and": [Sample(points(0, 1, NAN), points(1, 1, 0)), Sample(bools(4), ints(4))],
    "logical_or": [Sample(points(0, 1, NAN), points(1, 1, 0)), Sample(bools(4), ints(4))],
    "logical_xor": [Sample(points(0, 1, NAN), points(1, 1, 0)), Sample(bools(4), ints(4))],
    "bitwise_and": bits(),
    "bitwise_or": bits(),
    "bitwise_xor": bits(),
    "bitwise_left_shift": [Sample(ints(3, low=-9, high=9), ints(3)), Sample(ints(3), 2)],
    "bitwise_right_shift": [Sample(ints(3, low=-9, high=9), ints(3)), Sample(ints(3), 2)],
    "isclose": [
        Sample(points(1, 1, 1, NAN, INF, INF), points(1, 1 + 1e-6, 1.1, NAN, INF, -INF)),
        Sample(points(1, NAN), points(1.05, NAN), rtol=0.1, equal_nan=True),
        Sample(ints(3), ints(3, seed=1), atol=2.0),
    ],
    "allclose": [
        Sample(normal(3), normal(3) + 1e-9).without("batch", because="the result is no tensor"),
        Sample(normal(3), normal(3) + 1e-2).without("batch", because="the result is no tensor"),
    ],
    "equal": [
        Sample(normal(3), normal(3)).without("batch", because="the result is no tensor"),
        Sample(normal(3), normal(2)).without("batch", because="the result is no tensor"),
    ],
    "__radd__": reflected(),
    "__rdiv__": reflected(),
    "__rmod__": reflected(),
    "__rmul__": reflected(),
    "__rpow__": reflected(),
    "__rsub__": reflected(),
    "__rfloordiv__": reflected(),
    "__rand__": [Sample(ints(3), 6)],
    "__ror__": [Sample(ints(3), 6)],
    "__rxor__": [Sample(ints(3), 6)],
}  # fmt: skip

_SHAPES = (normal(2, 3), normal(2, 4))
ERRORS = {
    "add": [
        (Sample(*_SHAPES), RuntimeError, "The size of tensor a (3) must match the size of tensor b "
         "(4) at non-singleton dimension 1"),
        (Sample(ints(3), 1, alpha=0.5), RuntimeError, "argument alpha must not be a floating"),
        (Sample(normal(3), "text"), TypeError, "add(): argument 'other' (position 2) must be "
         "Tensor, not str"),
    ],
    "sub": [(Sample(bools(3), bools(3)), RuntimeError, "with two bool tensors is not supported")],
    "div": [(Sample(normal(3), 2.0, rounding_mode="up"), RuntimeError, "expected rounding_mode")],
    "floor_divide": [(Sample(ints(3), 0), RuntimeError, "ZeroDivisionError")],
    "remainder": [(Sample(ints(3), 0), RuntimeError, "ZeroDivisionError"),
                  (Sample(cplx(3), 2), NotImplementedError, '"remainder_cpu" not implemented for')],
    "pow": [(Sample(ints(3), -1), RuntimeError, "Integers to negative integer powers are not")],
    "addcdiv": [(Sample(ints(3), ints(3), ints(3)), RuntimeError, "Integer division with addcdiv")],
    "lerp": [(Sample(normal(3), np.ones(3, np.float32), 0.5), RuntimeError,
              "expected dtype double for `end` but got dtype float")],
    "heaviside": [(Sample(normal(3), np.ones(3, np.float32)), RuntimeError,
                   "heaviside is not yet implemented for tensors with different dtypes.")],
    "maximum": [(Sample(cplx(3), cplx(3)), RuntimeError, "maximum not implemented for complex")],
    "lt": [(Sample(cplx(3), cplx(3)), NotImplementedError, '"lt_cpu" not implemented for')],
    "gcd": [(Sample(normal(3), normal(3)), NotImplementedError, '"gcd_cpu" not implemented for')],
    "bitwise_and": [(Sample(normal(3), normal(3)), NotImplementedError,
                     "\"bitwise_and_cpu\" not implemented for 'Double'")],
    "where": [(Sample(ints(3), normal(3), normal(3)), RuntimeError,
               "where expected condition to be a boolean tensor")],
    "isclose": [(Sample(normal(3), np.ones(3, np.float32)), RuntimeError, "Double did not match")],
    "equal": [(Sample(normal(3), 1.0), TypeError, "argument 'other' (position 2) must be")],
}  # fmt: skip
