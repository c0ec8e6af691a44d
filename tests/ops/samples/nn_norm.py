"""Samples of the norms of nn.functional."""

import numpy as np

from ..sample import Sample, normal, uniform

F = "nn.functional."
X2, X3, X4 = normal(5, 4), normal(3, 4, 5), normal(2, 4, 3, 3)


def weight(*shape: int) -> np.ndarray:
    return uniform(*shape, low=0.5, high=1.5)


def bias(*shape: int) -> np.ndarray:
    return uniform(*shape, low=-0.5, high=0.5, seed=3)


SAMPLES = {
    F + "layer_norm": [
        Sample(X2, (4,), weight(4), bias(4)),
        Sample(X3, [4, 5]),
        Sample(X3, (4, 5), weight(4, 5), bias(4, 5)),
        Sample(X3, (5,), weight=weight(5)),
        Sample(X3, (5,), bias=bias(5), eps=0.1),
        Sample(normal(6), (6,)),
    ],
    F + "rms_norm": [
        Sample(X2, (4,), weight(4)),
        Sample(X3, [4, 5]),
        Sample(X3, (4, 5), weight(4, 5), 0.1),
    ],
    F + "group_norm": [
        Sample(X4, 2, weight(4), bias(4)),
        Sample(X3, 4),
        Sample(X4, 1, weight(4), eps=0.1),
        Sample(X2, 2),
    ],
    F + "batch_norm": [
        Sample(X4, None, None, weight(4), bias(4), training=True),
        Sample(X2, None, None, training=True, eps=0.1),
        Sample(X3, None, None, weight(4), training=True),
        Sample(X2, normal(4, seed=5), weight(4), weight(4), bias(4)),
        Sample(X4, normal(4, seed=5), weight(4)),
    ],
    F + "instance_norm": [
        Sample(X4),
        Sample(X3, weight=weight(4), bias=bias(4)),
        Sample(X4, normal(4, seed=5), weight(4), use_input_stats=False),
    ],
    F + "normalize": [
        Sample(X2),
        Sample(X3, p=3.0, dim=2),
        Sample(X3, 1.0, 0),
        Sample(X2, dim=(0, 1)),
    ],
    F + "local_response_norm": [
        Sample(X4, 2),
        Sample(X3, 3, alpha=0.5, beta=0.6, k=2.0),
    ],
    "layer_norm": [Sample(X2, (4,), weight(4), bias(4))],
    "group_norm": [Sample(X4, 2, weight(4), bias(4))],
    "rms_norm": [Sample(X2, (4,), weight(4))],
    "native_layer_norm": [
        Sample(X3, (5,), weight(5), bias(5), 1e-5).through(lambda r: r[0]),
        Sample(X3, (4, 5), None, None, 1e-5).through(lambda r: r[0]),
    ],
    "native_group_norm": [
        Sample(X4, weight(4), bias(4), 2, 4, 9, 2, 1e-5).through(lambda r: r[0]),
    ],
    "native_batch_norm": [
        Sample(X4, weight(4), bias(4), None, None, True, 0.1, 1e-5).through(lambda r: r[0]),
    ],
}

ERRORS = {
    F + "layer_norm": [
        (Sample(X2, (5,)), RuntimeError, "Given normalized_shape=[5], expected input with"),
        (Sample(X2, (4,), weight(5)), RuntimeError, "Expected weight to be of same shape"),
    ],
    F + "group_norm": [(Sample(X4, 3), RuntimeError, "divisible by num_groups")],
    F + "batch_norm": [
        (
            Sample(normal(1, 4), None, None, training=True),
            ValueError,
            "Expected more than 1 value per channel when training",
        ),
        (
            Sample(X2, None, None, weight(5), training=True),
            RuntimeError,
            "weight should contain 4 elements not 5",
        ),
    ],
    F + "instance_norm": [
        (Sample(normal(2, 3, 1)), ValueError, "Expected more than 1 spatial element"),
    ],
    F + "local_response_norm": [(Sample(X2, 2), ValueError, "Expected 3D or higher")],
}
