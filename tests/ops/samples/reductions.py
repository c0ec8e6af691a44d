"""Samples of reductions and scans."""

import numpy as np

from ..sample import Sample, bools, cplx, distinct, dtype, ints, normal, uniform

NAN, INF = float("nan"), float("inf")


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def with_nan(*shape: int) -> np.ndarray:
    x = distinct(*shape)
    x.reshape(-1)[1::3] = NAN
    return x


def plain(several: bool = True) -> list[Sample]:
    """All elements, one dimension, several, kept dimensions, 0-dim, complex, empty."""
    samples = [
        Sample(normal(3, 4)),
        Sample(normal(3, 4), dim=1),
        Sample(normal(2, 3, 4), dim=-2, keepdim=True),
        Sample(normal()),
        Sample(normal(), dim=0),
        Sample(cplx(3, 2), dim=0),
    ]
    if several:
        samples += [
            Sample(normal(2, 3, 4), dim=(0, 2)),
            Sample(normal(2, 3, 4), dim=[-1, 0], keepdim=True),
            Sample(normal(2, 3), dim=()),
            Sample(normal(2, 3), axis=0, keepdims=True),
        ]
    return samples


def choosing() -> list[Sample]:
    """(values, indices) along a dimension."""
    return [
        Sample(distinct(3, 4), dim=1),
        Sample(distinct(2, 3, 5), dim=-2, keepdim=True),
        Sample(distinct(5), dim=0),
        Sample(distinct(), dim=0),
    ]


def scanning() -> list[Sample]:
    return [
        Sample(normal(3, 4), 1),
        Sample(normal(2, 3, 4), -2),
        Sample(normal(5), 0),
        Sample(normal(), 0),
        Sample(normal(0, 3), 0),
    ]


NAN_RULE = "PyTorch gives every element a NaN gradient; ours goes to the NaN, as in max()"
SINGLE = normal(3).astype(np.float32)
TIES = array(1, 3, 3, 2, 3)
NO_ORDER = ("float32", "float16", "bfloat16", "int64", "int32", "uint8")

SAMPLES = {
    "sum": [*plain(), Sample(ints(3, 4)), Sample(bools(3, 4), 1),
            Sample(SINGLE, dtype=dtype("float64")), Sample(normal(0, 3), 0), Sample(normal(0))],
    "mean": [*plain(), Sample(ints(3, 4), dtype=dtype("float64")),
             Sample(normal(0, 3), 0).kink()],
    "prod": [*plain(several=False), Sample(ints(4)), Sample(array(0, 2, 3)),
             Sample(array(0, 2, 0, 3)).kink(), Sample(array(1, 0, 2, 0, 3, 5).reshape(2, 3), dim=1),
             Sample(normal(2, 0), 1)],
    "amax": [Sample(distinct(3, 4)), Sample(distinct(3, 4), 1), Sample(distinct(2, 3, 4), (0, 2)),
             Sample(distinct(2, 3, 4), (-1,), True), Sample(TIES, 0).kink(),
             Sample(array(1, NAN, 2)).without("vjp", because=NAN_RULE).kink(),
             Sample(distinct(), ())],
    "amin": [Sample(distinct(3, 4)), Sample(distinct(3, 4), 1), Sample(distinct(2, 3, 4), (0, 2)),
             Sample(distinct(2, 3, 4), (-1,), True), Sample(-TIES, 0).kink(),
             Sample(array(1, NAN, 2)).without("vjp", because=NAN_RULE).kink()],
    "aminmax": [Sample(distinct(3, 4)), Sample(distinct(3, 4), dim=1),
                Sample(distinct(3, 4), dim=0, keepdim=True), Sample(TIES, dim=0).kink()],
    "max": [Sample(distinct(3, 4)), *choosing(), Sample(TIES).kink(),
            Sample(TIES, 0).dtypes().kink(), Sample(array(1, NAN, 2), 0).kink(),
            Sample(distinct(3, 4), distinct(4, seed=1))],
    "min": [Sample(distinct(3, 4)), *choosing(), Sample(-TIES).kink(),
            Sample(-TIES, 0).dtypes().kink(), Sample(array(1, NAN, 2), 0).kink(),
            Sample(distinct(3, 4), distinct(4, seed=1))],
    "argmax": [Sample(distinct(3, 4)), Sample(distinct(3, 4), 1), Sample(TIES),
               Sample(distinct(2, 3), 0, True), Sample(distinct(2, 3), keepdim=True),
               Sample(array(1, NAN, 3)), Sample(distinct())],
    "argmin": [Sample(distinct(3, 4)), Sample(distinct(3, 4), 1), Sample(-TIES),
               Sample(distinct(2, 3), 0, True), Sample(array(1, NAN, 3))],
    "any": [Sample(bools(3, 4)), Sample(bools(3, 4), 1), Sample(bools(2, 3, 4), (0, 2), True),
            Sample(ints(3, 2)), Sample(normal(2, 3), 0), Sample(bools(0, 2), 0), Sample(bools())],
    "all": [Sample(bools(3, 4)), Sample(bools(3, 4), 1), Sample(bools(2, 3, 4), (0, 2), True),
            Sample(ints(3, 2)), Sample(normal(2, 3), 0), Sample(bools(0, 2), 0), Sample(bools())],
    "count_nonzero": [Sample(ints(3, 4, high=2)), Sample(ints(3, 4, high=2), 1),
                      Sample(ints(2, 3, 4, high=2), (0, 1)), Sample(normal(3))],
    "var": [Sample(normal(3, 4)), Sample(normal(3, 4), 1), Sample(normal(3, 4), False),
            Sample(normal(2, 3, 4), (0, 2), False, True), Sample(cplx(3, 2), 0),
            Sample(normal(3, 4), 1, correction=2, keepdim=True), Sample(normal(3), correction=0)],
    "std": [Sample(normal(3, 4)), Sample(normal(3, 4), 1), Sample(normal(3, 4), False),
            Sample(normal(2, 3, 4), (0, 2), False, True), Sample(cplx(3, 2), 0),
            Sample(normal(3, 4), 1, correction=2, keepdim=True),
            Sample(array(2, 2, 2)).dtypes().kink()],
    "var_mean": [Sample(normal(3, 4)), Sample(normal(3, 4), 1), Sample(normal(3, 4), 0, False),
                 Sample(normal(2, 3, 4), (0, 2), correction=0, keepdim=True)],
    "std_mean": [Sample(normal(3, 4)), Sample(normal(3, 4), 1), Sample(normal(3, 4), 0, False),
                 Sample(normal(2, 3, 4), (0, 2), correction=0, keepdim=True)],
    "logsumexp": [Sample(normal(3, 4), 1), Sample(normal(2, 3, 4), (0, 2), True),
                  Sample(normal(3, 4) * 1000, 0), Sample(normal(), 0),
                  Sample(array(-INF, 1, 2), 0).kink(), Sample(array(-INF, -INF), 0).kink()],
    "softmax": [Sample(normal(3, 4), 1), Sample(normal(2, 3, 4), -2), Sample(normal(3) * 1e4, 0),
                Sample(normal(), 0), Sample(SINGLE, 0, dtype=dtype("float64")),
                Sample(array(-INF, 1, 2), 0).kink()],
    "log_softmax": [Sample(normal(3, 4), 1), Sample(normal(2, 3, 4), -2),
                    Sample(normal(3) * 1e4, 0), Sample(normal(), 0),
                    Sample(SINGLE, 0, dtype=dtype("float64"))],
    "norm": [Sample(normal(3, 4)), Sample(normal(3, 4), dim=1), Sample(normal(3, 4), 1),
             Sample(normal(3, 4), 3, 0), Sample(normal(2, 3, 4), 2, (0, 2), True),
             Sample(normal(3, 4), INF, 1), Sample(normal(3, 4), -INF, 0),
             Sample(normal(3, 4), 0, 1), Sample(uniform(3, low=0.5, high=2.0), 0.5),
             Sample(normal(3), 1.5), Sample(cplx(3, 2), 2, 1), Sample(cplx(3), 1),
             Sample(normal(3, 4), "nuc"), Sample(normal(3, 4), "fro", (0, 1)),
             Sample(array(0, 0, 0)).kink(), Sample(array(0, 0), 3).kink(),
             Sample(array(0, 1, 0), 1).kink(), Sample(array(0, 2, -2), INF).kink()],
    "dist": [Sample(normal(3), normal(3, seed=1)), Sample(normal(2, 3), normal(3, seed=1), 1),
             Sample(normal(3), normal(3, seed=1), 3.0), Sample(normal(3), normal(3)).kink()],
    "renorm": [Sample(normal(3, 4), 2, 0, 1.0), Sample(normal(2, 3, 4), 1, 1, 2.0),
               Sample(normal(3, 4) * 0.01, 2, 0, 1.0)],
    "nansum": [Sample(normal(3, 4)), Sample(with_nan(3, 4), 1), Sample(with_nan(2, 3), 0, True),
               Sample(ints(3, 4), 1)],
    "nanmean": [Sample(normal(3, 4)), Sample(with_nan(3, 4), 1), Sample(with_nan(3, 4), 0, True)],
    "sum_to_size": [Sample(normal(3, 4), 1, 4), Sample(normal(2, 3, 4), 3, 1),
                    Sample(normal(3), 3), Sample(normal(2, 3), (1, 1))],
    "median": [Sample(distinct(5)), Sample(distinct(3, 4)), *choosing(),
               Sample(array(1, NAN, 3), 0).kink(), Sample(array(2, 1, 2, 2)).kink(),
               Sample(array(3, NAN, 1, NAN)).kink()],
    "nanmedian": [Sample(distinct(5)), *choosing(), Sample(array(1, NAN, 3, 4), 0).kink(),
                  Sample(array(3, NAN, 1, NAN)).kink(), Sample(array(NAN, NAN), 0).kink()],
    "mode": [Sample(array(2, 1, 2, 3, 1, 2), 0).kink(), Sample(distinct(3, 4), 1).kink(),
             Sample(ints(3, 6, high=3)), Sample(ints(3, 6, high=3), 0, True),
             Sample(distinct(), 0).kink()],
    "quantile": [
        Sample(distinct(5), 0.3), Sample(distinct(3, 4), 0.6, 1),
        Sample(distinct(3, 4), 0.5, 0, True),
        Sample(distinct(3, 5), array(0.1, 0.55, 0.9), 1),
        *[Sample(distinct(3, 4), 0.4, 1, interpolation=how)
          for how in ("lower", "higher", "midpoint", "nearest")],
        Sample(array(1, NAN, 2, 3), 0.5).kink(), Sample(distinct(3, 4), 0.25, keepdim=True),
        Sample(distinct(), 0.25, 0),
    ],
    "nanquantile": [
        Sample(distinct(5), 0.3), Sample(with_nan(3, 4), 0.6, 1).kink(),
        Sample(with_nan(3, 4), array(0.2, 0.7), 1).kink(),
        Sample(with_nan(3, 4), 0.6, interpolation="lower").kink(),
        Sample(array(NAN, NAN), 0.5).kink(),
    ],
    "cumsum": [*scanning(), Sample(ints(2, 3), 1), Sample(cplx(3, 2), 0),
               Sample(SINGLE, 0, dtype=dtype("float64"))],
    "cumprod": [*scanning(), Sample(ints(2, 3), 1), Sample(cplx(3, 2), 0),
                Sample(array(2, 0, 3, 4), 0), Sample(array(2, 0, 3, 0, 4), 0),
                Sample(normal(80) * 0.3 + 1, 0)],
    "logcumsumexp": [*scanning(), Sample(normal(5) * 100, 0), Sample(normal(70), 0)],
    "cummax": [Sample(distinct(3, 4), 1), Sample(distinct(2, 5, 2), 1),
               Sample(distinct(), 0).dtypes("float32"),
               Sample(array(1, 3, 3, 2, 4), 0).kink(), Sample(array(1, NAN, 3, NAN), 0).kink()],
    "cummin": [Sample(distinct(3, 4), 1), Sample(distinct(2, 5, 2), 1),
               Sample(distinct(), 0).dtypes("float32"),
               Sample(array(3, 1, 1, 2, 0), 0).kink(), Sample(array(1, NAN, 3, NAN), 0).kink()],
    "diff": [Sample(normal(5)), Sample(normal(3, 4), 2), Sample(normal(3, 4), 1, 0),
             Sample(normal(3), 1, -1, normal(2, seed=1), normal(1, seed=2)), Sample(bools(5)),
             Sample(normal(3), 0), Sample(normal(2), 3)],
    "gradient": [Sample(normal(5)), Sample(normal(4, 5)), Sample(normal(4, 5), dim=1, edge_order=2),
                 Sample(normal(5), spacing=0.5), Sample(normal(4, 5), spacing=(2.0, 3.0)),
                 Sample(normal(5), spacing=[np.cumsum(uniform(5, low=0.5, high=1.5))]),
                 Sample(normal(5), spacing=[np.cumsum(uniform(5, low=0.5, high=1.5))],
                        edge_order=2)],
    "trapezoid": [Sample(normal(5)), Sample(normal(3, 4), dx=0.5), Sample(normal(3, 4), dim=0),
                  Sample(normal(3, 4), np.cumsum(uniform(4, low=0.5, high=1.5))),
                  Sample(normal(3, 4), normal(3, 4, seed=1), dim=0)],
    "cumulative_trapezoid": [Sample(normal(5)), Sample(normal(3, 4), dx=0.5),
                             Sample(normal(3, 4), np.cumsum(uniform(4, low=0.5, high=1.5))),
                             Sample(normal(3, 4), normal(3, 4, seed=1), dim=0)],
    "cov": [Sample(normal(3, 5)), Sample(normal(5)), Sample(normal(3, 5), correction=0),
            Sample(normal(3, 4), fweights=ints(4, low=1)), Sample(cplx(2, 4)),
            Sample(normal(3, 4), aweights=uniform(4, low=0.5, high=2.0)),
            Sample(normal(3, 4), fweights=ints(4, low=1),
                   aweights=uniform(4, low=0.5, high=2.0))],
    "corrcoef": [Sample(normal(3, 5)), Sample(normal(5)), Sample(cplx(2, 4))],
    "histc": [Sample(normal(20), 5), Sample(normal(20), 4, -1, 1), Sample(normal(3, 4), 6, 0, 0),
              Sample(array(1, 1, 1), 3)],
    "histogram": [Sample(normal(20), 5), Sample(normal(20), 4, range=(-1.0, 1.0)),
                  Sample(normal(20), array(-2, -0.5, 0.1, 2)),
                  Sample(normal(20), 4, weight=uniform(20), density=True)],
    "histogramdd": [Sample(normal(20, 2), [3, 4]), Sample(normal(20, 2), [3, 2], density=True),
                    Sample(normal(20, 2), [array(-1, 0, 1), array(-2, 0, 2)])],
    "bincount": [Sample(ints(10)), Sample(ints(10), minlength=8),
                 Sample(ints(6), uniform(6)).dtypes("float32", "int64"), Sample(ints(0))],
}  # fmt: skip

for _path in ("histc", "histogram", "histogramdd"):
    for _sample in SAMPLES[_path]:
        _sample.without("batch", because="the range of the bins depends on the data")

ERRORS = {
    "sum": [(Sample(normal(2, 3), 2), IndexError, "Dimension out of range"),
            (Sample(normal(2, 3), (0, 0)), RuntimeError, "appears multiple times")],
    "mean": [(Sample(ints(3)), RuntimeError, "could not infer output dtype")],
    "max": [(Sample(normal(0)), RuntimeError, "Expected reduction dim to be specified"),
            (Sample(normal(0, 3), 0), IndexError, "to have non-zero size"),
            (Sample(cplx(3)), RuntimeError, "not implemented for 'ComplexDouble'")],
    "argmax": [(Sample(normal(0)), IndexError, "Expected reduction dim to be specified")],
    "amax": [(Sample(normal(0)), RuntimeError, "Expected reduction dim to be specified")],
    "var": [(Sample(ints(3)), RuntimeError, "std and var only support floating point")],
    "softmax": [(Sample(ints(3), 0), RuntimeError, "not implemented for 'Long'")],
    "quantile": [(Sample(normal(3), 1.5), RuntimeError, "q must be in the range [0, 1]"),
                 (Sample(ints(3), 0.5), RuntimeError, "must be either float or double dtype"),
                 (Sample(normal(0), 0.5), RuntimeError, "must be non-empty")],
    "cov": [(Sample(normal(2, 2, 2)), RuntimeError, "two or fewer dimensions")],
    "bincount": [(Sample(np.array([1, -1])), RuntimeError, "1-d non-negative integral inputs")],
    "diff": [(Sample(normal()), RuntimeError, "at least one-dimensional")],
    "sum_to_size": [(Sample(normal(3), 2), RuntimeError, "is not expandable to size")],
    "cumsum": [(Sample(normal(3), 1), IndexError, "Dimension out of range")],
}  # fmt: skip
