"""Samples of element-wise ops."""

from ..sample import Sample, cplx, normal

SAMPLES = {
    "tanh": [Sample(normal(3, 4)), Sample(normal()), Sample(cplx(3))],
    "mul": [Sample(normal(3, 4), normal(4, seed=1)), Sample(normal(2), 2.5)],
}
ERRORS = {"mul": [(Sample(normal(3), normal(4)), RuntimeError, "must match the size of tensor b")]}
