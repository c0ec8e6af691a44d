"""Samples of sorting and searching."""

import numpy as np

from ..sample import Sample, bools, distinct, ints, normal, uniform
from .reductions import NAN, array

TIES = array(3, 1, 2, 1, 3, 1)
EDGES = array(-1, 0, 0.5, 2)

SAMPLES = {
    "sort": [Sample(distinct(5)), Sample(distinct(3, 4), 0), Sample(distinct(3, 4), -1, True),
             Sample(distinct()), Sample(TIES, stable=True).kink(),
             Sample(TIES, descending=True, stable=True).kink(),
             Sample(array(2, NAN, 1, NAN)).kink(),
             Sample(array(2, NAN, 1), descending=True).kink(), Sample(bools(6), stable=True)],
    "argsort": [Sample(distinct(5)), Sample(distinct(3, 4), 0), Sample(distinct(3, 4), -1, True),
                Sample(TIES, stable=True), Sample(distinct())],
    "msort": [Sample(distinct(5)), Sample(distinct(3, 4)), Sample(distinct(2, 3, 2))],
    "topk": [Sample(distinct(5), 2), Sample(distinct(3, 4), 3, 0),
             Sample(distinct(3, 4), 2, 1, False),
             Sample(distinct(2, 200), 3), Sample(distinct(200), 4, largest=False),
             Sample(distinct(5), 0), Sample(distinct(), 1), Sample(array(1, NAN, 3, 2), 2).kink()],
    "kthvalue": [Sample(distinct(5), 2), Sample(distinct(3, 4), 3, 0),
                 Sample(distinct(3, 4), 2, 1, True), Sample(distinct(), 1)],
    "searchsorted": [Sample(EDGES, normal(3, 4)), Sample(EDGES, EDGES), Sample(EDGES, 0.5),
                     Sample(EDGES, EDGES, right=True), Sample(EDGES, EDGES, side="right"),
                     Sample(np.sort(normal(2, 5)), normal(2, 3, seed=1)),
                     Sample(EDGES, normal(3), out_int32=True),
                     Sample(array(2, 0, 1), normal(3), sorter=np.array([1, 2, 0]))],
    "bucketize": [Sample(normal(3, 4), EDGES), Sample(EDGES, EDGES, right=True),
                  Sample(0.3, EDGES), Sample(ints(4), array(1, 3), out_int32=True)],
    "isin": [Sample(ints(3, 4), np.array([1, 3])), Sample(ints(5), 2), Sample(2, ints(5)),
             Sample(ints(3, 4), np.array([1, 3]), invert=True), Sample(array(1, NAN), array(NAN))],
    "unique": [Sample(ints(3, 4)), Sample(ints(8), return_inverse=True, return_counts=True),
               Sample(ints(4, 2, high=2), dim=0), Sample(array(2, 1, 2, 0.5)),
               Sample(ints(4, 3, high=2), return_inverse=True, return_counts=True, dim=1),
               Sample(bools(5), return_counts=True)],
    "unique_consecutive": [
        Sample(np.array([1, 1, 2, 2, 2, 1])),
        Sample(np.array([1, 1, 2, 3, 3]), return_inverse=True, return_counts=True),
        Sample(ints(5, 2, high=2), dim=0), Sample(ints(2, 6, high=2), True, True),
    ],
    "nn.functional.one_hot": [Sample(ints(3, 4)), Sample(ints(4), 7), Sample(ints(high=3), 4)],
    "nonzero": [Sample(ints(3, 4, high=2)), Sample(bools(5)), Sample(ints(2, 3, high=2),
                as_tuple=True), Sample(normal()), Sample(np.zeros((2, 0)))],
    "nonzero_static": [Sample(ints(3, 4, high=2), size=4), Sample(bools(5), size=9, fill_value=7),
                       Sample(normal(), size=2), Sample(ints(3, high=2), size=0)],
    "argwhere": [Sample(ints(3, 4, high=2)), Sample(bools(5)), Sample(normal())],
}  # fmt: skip

for _path in ("topk", "kthvalue"):  # which of several equal elements is chosen is not defined
    for _sample in SAMPLES[_path]:
        _sample.dtypes("float32", "float16", "bfloat16")
SAMPLES["nn.functional.one_hot"][0].without(
    "batch", because="the number of classes depends on the data"
)
for _path in ("searchsorted", "bucketize"):
    for _sample in SAMPLES[_path]:
        _sample.dtypes("float32", "float16", "bfloat16", "int64")
for _sample in (
    SAMPLES["unique"] + SAMPLES["nonzero"] + SAMPLES["argwhere"] + SAMPLES["nonzero_static"]
):
    _sample.without("batch", because="the size of the result depends on the data")
for _sample in SAMPLES["unique_consecutive"]:
    _sample.without("batch", because="the size of the result depends on the data")

ERRORS = {
    "topk": [(Sample(normal(3), 4), RuntimeError, "selected index k out of range")],
    "kthvalue": [(Sample(normal(3), 0), RuntimeError, "selected number k out of range")],
    "nn.functional.one_hot": [
        (Sample(np.array([-1, 2])), RuntimeError, "must be non-negative"),
        (Sample(np.array([1, 5]), 3), RuntimeError, "must be smaller than num_classes"),
        (Sample(uniform(3)), RuntimeError, "only applicable to index tensor"),
    ],
    "searchsorted": [
        (Sample(normal(2, 3), normal(3, 3)), RuntimeError, "boundaries tensor should")
    ],
    "sort": [(Sample(normal(3), 1), IndexError, "Dimension out of range")],
}  # fmt: skip
