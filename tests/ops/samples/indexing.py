"""Samples of functions that read and write at indices."""

import numpy as np

from ..sample import Sample, bools, cplx, distinct, ints, normal
from .reductions import array

ROWS = np.array([2, 0])
TWICE = np.array([1, 1, 0])


def scattering(*rest: object, **named: object) -> list[Sample]:
    """Along both dimensions, with a smaller index, 1-D, 0-dim."""
    return [
        Sample(normal(3, 4), 0, ints(3, 4, high=3), normal(3, 4, seed=1), *rest, **named),
        Sample(normal(3, 4), 1, ints(2, 3, high=4), normal(3, 4, seed=1), *rest, **named),
        Sample(normal(5), -1, np.array([4, 1, 1]), normal(3, seed=1), *rest, **named),
        Sample(normal(2, 3, 2), 1, ints(2, 2, 2, high=3), normal(2, 2, 2, seed=1), *rest, **named),
        Sample(normal(), 0, np.array(0), normal(seed=1), *rest, **named),
    ]


def overwriting() -> list[Sample]:
    """The same without repeated places, whose order of writing is not defined."""
    return [
        Sample(normal(3, 4), 0, np.array([[2, 0, 1, 0], [0, 1, 2, 2]]), normal(2, 4, seed=1)),
        Sample(normal(3, 4), 1, np.array([[3, 0], [1, 2]]), normal(3, 4, seed=1)),
        Sample(normal(5), -1, np.array([4, 1, 0]), normal(3, seed=1)),
        Sample(normal(), 0, np.array(0), normal(seed=1)),
        Sample(normal(3, 4), 1, np.zeros((0, 4), np.int64), normal(3, 4, seed=1)),
    ]


def folds(kind: str) -> list[Sample]:
    samples = scattering(kind) + scattering(kind, include_self=False)[:3]
    if kind == "prod":
        samples.append(Sample(array(2, 3), 0, np.array([0, 0, 1]), array(0, 5, 4), kind).kink())
        samples.append(Sample(array(2, 3), 0, np.array([0, 0, 1]), array(0, 0, 4), kind).kink())
    if kind in ("amax", "amin"):
        samples.append(Sample(array(2, 3), 0, np.array([0, 0, 1]), array(2, 2, 3), kind).kink())
    return samples


def rows(kind: str) -> list[Sample]:
    return [
        Sample(normal(3, 4), 0, TWICE, normal(3, 4, seed=1), kind),
        Sample(normal(3, 4), 1, TWICE, normal(3, 3, seed=1), kind),
        Sample(normal(3, 4), 0, TWICE, normal(3, 4, seed=1), kind, include_self=False),
    ]


SAMPLES = {
    "gather": [Sample(normal(3, 4), 0, ints(2, 4, high=3)),
               Sample(normal(3, 4), 1, ints(2, 3, high=4)),
               Sample(normal(5), -1, TWICE), Sample(normal(2, 3, 2), 1, ints(2, 4, 1, high=3)),
               Sample(normal(), 0, np.array(0)), Sample(cplx(3, 2), 0, ints(2, 2, high=3)),
               Sample(normal(3, 4), 1, np.zeros((3, 0), np.int64))],
    "take_along_dim": [Sample(normal(3, 4), ints(3, 2, high=4), 1),
                       Sample(normal(3, 4), ints(5, high=12)),
                       Sample(normal(3, 4), ints(1, 4, high=3), 0),
                       Sample(distinct(3, 4), np.argsort(distinct(3, 4), 1), dim=1)],
    "scatter": [*overwriting(), Sample(normal(3, 4), 1, np.array([[0], [2], [1]]), 5.0),
                Sample(normal(3, 4), 0, np.array([[1, 0]]), value=2),
                Sample(normal(5), 0, TWICE, normal(3, seed=1), reduce="add"
                       ).without("vjp", because="PyTorch does not differentiate reduce="),
                Sample(normal(5), 0, TWICE, normal(3, seed=1), reduce="multiply"
                       ).without("vjp", because="PyTorch does not differentiate reduce=")],
    "scatter_add": [*scattering(), Sample(cplx(3), 0, TWICE, cplx(3, seed=1))],
    "scatter_reduce": [s for k in ("sum", "prod", "mean", "amax", "amin") for s in folds(k)],
    "index_select": [Sample(normal(3, 4), 0, TWICE), Sample(normal(3, 4), 1, np.array([3, 0, 3])),
                     Sample(normal(5), 0, ROWS), Sample(normal(2, 3, 4), -2, ROWS),
                     Sample(normal(), 0, np.array([0])), Sample(normal(3, 4), 0, np.array(1)),
                     Sample(normal(3, 2), 0, np.zeros(0, np.int64))],
    "index_add": [Sample(normal(3, 4), 0, TWICE, normal(3, 4, seed=1)),
                  Sample(normal(3, 4), 1, TWICE, normal(3, 3, seed=1), alpha=2),
                  Sample(normal(2, 3, 4), -2, ROWS, normal(2, 2, 4, seed=1)),
                  Sample(normal(), 0, np.array([0]), normal(seed=1)),
                  Sample(normal(400, 3), 0, ints(90, high=400), normal(90, 3, seed=1)).dtypes()],
    "index_copy": [Sample(normal(3, 4), 0, ROWS, normal(2, 4, seed=1)),
                   Sample(normal(3, 4), 1, ROWS, normal(3, 2, seed=1)),
                   Sample(normal(), 0, np.array([0]), normal(seed=1))],
    "index_fill": [Sample(normal(3, 4), 0, ROWS, 2.0),
                   Sample(normal(3, 4), 1, ROWS, normal(seed=1)),
                   Sample(normal(), 0, np.array([0]), 3.0)],
    "index_reduce": [s for k in ("prod", "mean", "amax", "amin") for s in rows(k)],
    "index_put": [
        Sample(normal(3, 4), (ROWS,), normal(2, 4, seed=1)),
        Sample(normal(3, 4), (ROWS, np.array([1, 3])), normal(2, seed=1)),
        Sample(normal(3, 4), (TWICE,), normal(4, seed=1), True),
        Sample(normal(3, 4), (bools(3, 4),), normal(seed=1)),
    ],
    "masked_fill": [Sample(normal(3, 4), bools(3, 4), 0.5),
                    Sample(normal(3, 4), bools(4), normal(seed=1)),
                    Sample(normal(4), bools(3, 4), -1.0).without(
                        "inplace", because="an in-place result has the input's shape"),
                    Sample(normal(), bools(), 2.0)],
    "masked_select": [Sample(normal(3, 4), bools(3, 4)), Sample(normal(3, 4), bools(4)),
                      Sample(normal(4), bools(3, 4)), Sample(normal(), bools())],
    "masked_scatter": [Sample(normal(3, 4), bools(3, 4), normal(12, seed=1)),
                       Sample(normal(3, 4), bools(4), normal(4, 4, seed=1))],
    "take": [Sample(normal(3, 4), ints(2, 3, high=12)),
             Sample(normal(3, 4), np.array([-1, 0, -12])),
             Sample(normal(5), np.array(3))],
    "put": [Sample(normal(3, 4), np.array([1, 5, -1]), normal(3, seed=1)),
            Sample(normal(3, 4), np.array([1, 1, 0]), normal(3, seed=1), True),
            Sample(normal(3, 4), ints(2, 0), normal(0, seed=1))],
    "unravel_index": [Sample(ints(4, high=12), (3, 4)), Sample(ints(2, 2, high=24), (2, 3, 4))],
    "repeat_interleave": [Sample(normal(3), 2), Sample(normal(2, 3), 2, 1), Sample(normal(2, 3), 3),
                          Sample(normal(3, 2), np.array([1, 0, 2]), 0),
                          Sample(normal(2, 3), np.array([2]), dim=-1), Sample(np.array([2, 0, 1]))],
    "select_scatter": [Sample(normal(3, 4), normal(4, seed=1), 0, 1),
                       Sample(normal(2, 3, 4), normal(2, 4, seed=1), -2, -1)],
    "slice_scatter": [Sample(normal(3, 4), normal(2, 4, seed=1), 0, 1),
                      Sample(normal(3, 4), normal(3, 2, seed=1), 1, 0, 4, 2),
                      Sample(normal(5), normal(2, seed=1), 0, -3, -1)],
    "diagonal_scatter": [Sample(normal(3, 4), normal(3, seed=1)),
                         Sample(normal(3, 4), normal(2, seed=1), -1),
                         Sample(normal(2, 3, 3), normal(2, 3, seed=1), 0, 1, 2)],
    "as_strided_scatter": [Sample(normal(3, 4), normal(2, 2, seed=1), (2, 2), (4, 1), 1),
                           Sample(normal(3, 4), normal(3, seed=1), (3,), (5,))],
    "Tensor.index_put_": [
        Sample(normal(3, 4), (ROWS,), normal(2, 4, seed=1)),
        Sample(normal(3, 4), (TWICE, np.array([0, 0, 2])), normal(3, seed=1), accumulate=True),
    ],
}  # fmt: skip

for _path in ("masked_select", "repeat_interleave"):
    for _sample in SAMPLES[_path]:
        if _path == "masked_select" or any(a.dtype.kind == "i" for a in _sample.arrays()):
            _sample.without("batch", because="the size of the result depends on the data")
for _sample in SAMPLES["masked_scatter"] + SAMPLES["index_put"]:
    if any(a.dtype.kind == "b" for a in _sample.arrays()):
        _sample.without("batch", because="the number of places depends on the data")

for _sample in SAMPLES["as_strided_scatter"]:
    _sample.without("vjp", because="PyTorch's own gradcheck refutes its gradient of self")
    _sample.without("batch", because="an example of a batch has no memory layout of its own")
    _sample.without("strides", because="strides say which elements are replaced")

ERRORS = {
    "select_scatter": [(Sample(normal(3, 4), normal(3), 0, 1), RuntimeError,
                        "expected src to have a size equal to the slice of self")],
    "gather": [
        (Sample(normal(3, 4), 1, np.array([[4]])), RuntimeError, "index 4 is out of bounds"),
        (Sample(normal(3, 4), 1, np.array([[-1]])), RuntimeError, "index -1 is out of bounds"),
        (Sample(normal(3, 4), 1, np.array([0])), RuntimeError, "same number of dimensions"),
        (Sample(normal(3, 4), 1, np.zeros((4, 1), np.int64)), RuntimeError, "Size does not match"),
        (Sample(normal(3, 4), 1, bools(3, 4)), RuntimeError, "int64"),
    ],
    "scatter": [(Sample(normal(3), 0, np.array([3]), normal(1)), RuntimeError, "out of bounds")],
    "index_select": [
        (Sample(normal(3), 0, np.array([3])), IndexError, "out of range"),
        (Sample(normal(3), 0, np.array([[1]])), IndexError, "Index is supposed to be a vector"),
    ],
    "index_add": [(Sample(normal(3, 2), 0, ROWS, normal(3, 2)), RuntimeError, "source")],
    "masked_fill": [(Sample(normal(3), ints(3), 1.0), RuntimeError, "only supports boolean masks")],
    "masked_scatter": [(Sample(normal(3), np.array([True] * 3), normal(2)), RuntimeError,
                        "Number of elements of source < number of ones in mask")],
    "take": [(Sample(normal(3), np.array([3])), IndexError, "out of range")],
    "repeat_interleave": [(Sample(normal(3), np.array([1, 2]), 0), RuntimeError,
                           "repeats must have the same size as input along dim")],
}  # fmt: skip
