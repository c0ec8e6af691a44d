"""Samples of the activations of nn.functional."""

import numpy as np

from ..sample import Sample, cplx, ints, normal, uniform

F = "nn.functional."
# Away from the kinks at 0, +-0.5, +-1, +-3 and 6.
WIDE = np.array([[-7.3, -3.6, -2.2, -1.3], [-0.7, -0.21, 0.31, 0.83], [1.7, 2.6, 4.4, 7.1]])
# Where the functions saturate; no kinks, but differences of nearly equal numbers.
FAR = np.array([-1e4, -95.0, -40.0, 40.0, 95.0, 1e4])

SAMPLES = {
    F + name: [Sample(WIDE), Sample(normal()), Sample(normal(0, 3))]
    for name in (
        "relu", "relu6", "selu", "silu", "mish", "logsigmoid", "hardsigmoid", "hardswish",
        "softsign", "tanhshrink",
    )
}  # fmt: skip
SAMPLES |= {
    F + "elu": [Sample(WIDE), Sample(WIDE, alpha=0.7), Sample(FAR)],
    F + "celu": [Sample(WIDE), Sample(WIDE, 0.7), Sample(normal())],
    F + "gelu": [Sample(WIDE), Sample(WIDE, approximate="tanh"), Sample(normal()), Sample(FAR)],
    F + "leaky_relu": [Sample(WIDE), Sample(WIDE, 0.2), Sample(normal())],
    F + "hardtanh": [Sample(WIDE), Sample(WIDE, -2.5, 4.0), Sample(normal())],
    F + "hardshrink": [Sample(WIDE), Sample(WIDE, 1.1), Sample(normal())],
    F + "softshrink": [Sample(WIDE), Sample(WIDE, 1.1), Sample(normal())],
    F + "softplus": [Sample(WIDE), Sample(WIDE, beta=2.5), Sample(WIDE, 1, 2.0), Sample(FAR)],
    F + "threshold": [Sample(WIDE, 0.1, 20.0), Sample(WIDE, -1, 0), Sample(normal(), 0.0, 1.5)],
    F + "prelu": [
        Sample(WIDE, uniform(4, low=0.1, high=0.9)),
        Sample(WIDE, uniform(1, low=0.1, high=0.9)),
        Sample(normal(2, 3, 4), uniform(3, low=0.1, high=0.9)),
        Sample(normal(), uniform(1, low=0.1, high=0.9)),
    ],
    F + "glu": [Sample(WIDE), Sample(normal(4, 3), dim=0), Sample(normal(2, 3, 4), 2)],
    F + "softmin": [Sample(WIDE, dim=1), Sample(normal(2, 3, 4), dim=0)],
    F + "rrelu": [Sample(WIDE), Sample(WIDE, 0.1, 0.3)],
    F + "softmax": [Sample(WIDE, dim=1), Sample(FAR, dim=0)],
    F + "log_softmax": [Sample(WIDE, dim=1), Sample(FAR, dim=0)],
    F + "sigmoid": [Sample(WIDE), Sample(FAR)],
    F + "tanh": [Sample(WIDE)],
    "Tensor.relu": [Sample(WIDE)],
    "Tensor.prelu": [Sample(WIDE, uniform(4, low=0.1, high=0.9))],
    "Tensor.hardshrink": [Sample(WIDE)],
    "relu": [Sample(WIDE), Sample(ints(3, low=-3, high=3))],
    "prelu": [Sample(WIDE, uniform(4, low=0.1, high=0.9))],
    "celu": [Sample(WIDE)],
    "selu": [Sample(WIDE)],
    "threshold": [Sample(WIDE, 0.1, 20.0)],
    "hardshrink": [Sample(WIDE)],
}
# PyTorch takes 1 / 6 of hardsigmoid's slope in float32 also for float64.
for sample in SAMPLES[F + "hardsigmoid"]:
    sample.loose(1e-7)
SAMPLES[F + "silu"] += [Sample(cplx(3)), Sample(FAR)]
SAMPLES[F + "logsigmoid"] += [Sample(FAR)]
SAMPLES[F + "mish"] += [Sample(FAR)]

ERRORS = {
    F + "gelu": [
        (Sample(normal(3), approximate="sigmoid"), RuntimeError, "approximate argument must be"),
        (Sample(ints(3)), NotImplementedError, "not implemented for 'Long'"),
    ],
    F + "elu": [(Sample(ints(3)), NotImplementedError, "not implemented for 'Long'")],
    F + "glu": [(Sample(normal(3)), RuntimeError, "Halving dimension must be even")],
    F + "hardtanh": [
        (Sample(normal(3), 2.0, 1.0), ValueError, "min_val cannot be greater than max_val")
    ],
    F + "prelu": [
        (
            Sample(normal(3, 4), normal(3)),
            RuntimeError,
            "Found parameter numbers = 3 and channel size = 4",
        )
    ],
    F + "softshrink": [(Sample(normal(3), -1.0), RuntimeError, "lambda must be")],
}
