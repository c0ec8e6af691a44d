"""Samples of the dense layers and embedding tables of nn.functional."""

import numpy as np

from ..sample import Sample, cplx, ints, normal

F = "nn.functional."
W = normal(5, 4, seed=1)
B = normal(5, seed=2)
ROWS = ints(3, 4, high=6)
BAGS = np.array([0, 2, 2, 5])

SAMPLES = {
    F + "linear": [
        Sample(normal(3, 4), W, B),
        Sample(normal(3, 4), W),
        Sample(normal(2, 3, 4), W, B),
        Sample(normal(2, 3, 4), W),
        Sample(normal(4), W, B),
        Sample(normal(4), W),
        Sample(normal(3, 4), normal(4, seed=1)),
        Sample(normal(0, 4), W, B),
        Sample(cplx(3, 4), cplx(5, 4), cplx(5)),
    ],
    F + "bilinear": [
        Sample(normal(3, 4), normal(3, 2), normal(5, 4, 2), B),
        Sample(normal(2, 3, 4), normal(2, 3, 2), normal(5, 4, 2)),
    ],
    "bilinear": [Sample(normal(3, 4), normal(3, 2), normal(5, 4, 2), B)],
    F + "embedding": [
        Sample(ROWS, normal(6, 3)),
        Sample(ROWS, normal(6, 3), padding_idx=2).kink(),
        Sample(ROWS, normal(6, 3), padding_idx=-1, scale_grad_by_freq=True).kink(),
        Sample(np.array(4), normal(6, 3)),
        Sample(np.zeros((0, 2), np.int64), normal(6, 3)),
    ],
    F + "embedding_bag": [
        Sample(ROWS, normal(6, 3)),
        Sample(ROWS, normal(6, 3), mode="sum", per_sample_weights=normal(3, 4)),
        Sample(ROWS, normal(6, 3), mode="max"),
        Sample(ints(7, high=6), normal(6, 3), BAGS),
        Sample(ints(7, high=6), normal(6, 3), BAGS, mode="sum", padding_idx=1),
        Sample(ints(7, high=6), normal(6, 3), BAGS, mode="max"),
        Sample(
            ints(7, high=6), normal(6, 3), np.array([0, 2, 2, 7]), include_last_offset=True
        ),
    ],
}  # fmt: skip

ERRORS = {
    F + "linear": [
        (
            Sample(normal(3, 5), W, B),
            RuntimeError,
            "mat1 and mat2 shapes cannot be multiplied (3x5 and 4x5)",
        ),
        (Sample(normal(3, 4), W.astype("float32"), B), RuntimeError, "must have the same dtype"),
    ],
    F + "bilinear": [
        (Sample(normal(3, 4), normal(2, 2), normal(5, 4, 2)), RuntimeError, "do not match"),
    ],
    F + "embedding": [
        (Sample(np.array([0, 6]), normal(6, 3)), IndexError, "index out of range in self"),
        (Sample(normal(2), normal(6, 3)), RuntimeError, "Expected tensor for argument #1"),
        (Sample(ROWS, normal(6, 3), 6), AssertionError, "Padding_idx must be within"),
    ],
    F + "embedding_bag": [
        (Sample(ROWS, normal(6, 3), BAGS), ValueError, "if input is 2D, then offsets"),
        (Sample(ROWS, normal(6, 3), mode="min"), ValueError, "mode has to be one of"),
    ],
}
