"""Samples of the poolings of nn.functional."""

import numpy as np

from ..sample import Sample, distinct, ints, normal, uniform

F = "nn.functional."
X1, X2, X3 = distinct(2, 3, 7), distinct(2, 3, 5, 6), distinct(1, 2, 4, 4, 5)
NAN = np.array([[[np.nan, 1, np.nan, 2, -np.inf, -np.inf, 3, 4]]])

DRAWS2, DRAWS3 = uniform(2, 3, 2, low=0, high=1), uniform(1, 2, 3, low=0, high=1)


def positions(shape: tuple[int, ...], size: int) -> np.ndarray:
    """Different positions per channel."""
    n = int(np.prod(shape[2:]))
    order = np.argsort(uniform(*shape[:2], size), axis=-1)
    return order[..., :n].reshape(shape)


SAMPLES = {
    F + "max_pool1d": [
        Sample(X1, 2),
        Sample(X1, 3, 2, 1, return_indices=True),
        Sample(X1, 3, stride=1, padding=1, dilation=2, ceil_mode=True),
        Sample(distinct(3, 7), 2),
        Sample(NAN, 2, return_indices=True).kink(),
        Sample(NAN, 3, padding=1, return_indices=True).kink(),
    ],
    F + "max_pool2d": [
        Sample(X2, 2),
        Sample(X2, (2, 3), return_indices=True),
        Sample(X2, 3, stride=2, padding=1),
        Sample(X2, 2, stride=3, ceil_mode=True, return_indices=True),
        Sample(X2, (2, 3), stride=1, padding=(0, 1), dilation=(2, 1)),
        Sample(distinct(3, 5, 6), 2),
        Sample(ints(1, 1, 4, 4, high=9), 2),
    ],
    F + "max_pool3d": [
        Sample(X3, 2),
        Sample(X3, (1, 2, 3), stride=2, padding=(0, 1, 1), return_indices=True),
    ],
    F + "avg_pool1d": [
        Sample(X1, 2),
        Sample(X1, 3, 2, 1, ceil_mode=True),
        Sample(X1, 3, 1, 1, count_include_pad=False),
    ],
    F + "avg_pool2d": [
        Sample(X2, 2),
        Sample(X2, (2, 3), stride=2, padding=(1, 0), count_include_pad=False),
        Sample(X2, 3, stride=2, padding=1, ceil_mode=True),
        Sample(X2, 3, stride=1, divisor_override=5),
        Sample(normal(3, 5, 6), 2),
    ],
    F + "avg_pool3d": [Sample(X3, 2), Sample(X3, 3, stride=2, padding=1, ceil_mode=True)],
    F + "adaptive_avg_pool1d": [Sample(X1, 3), Sample(X1, 1), Sample(X1, 9)],
    F + "adaptive_avg_pool2d": [
        Sample(X2, 2),
        Sample(X2, (5, 3)),
        Sample(X2, (None, 4)),
        Sample(X2, 1),
        Sample(distinct(3, 5, 6), 3),
    ],
    F + "adaptive_avg_pool3d": [Sample(X3, (2, 3, 2)), Sample(X3, (4, 2, 5))],
    F + "adaptive_max_pool1d": [Sample(X1, 3), Sample(X1, 2, return_indices=True)],
    F + "adaptive_max_pool2d": [
        Sample(X2, 2),
        Sample(X2, (None, 4), return_indices=True),
        Sample(distinct(3, 5, 6), 3),
    ],
    F + "adaptive_max_pool3d": [Sample(X3, (2, 3, 2), return_indices=True)],
    "adaptive_max_pool1d": [Sample(X1, 3)],
    F + "fractional_max_pool2d": [
        Sample(X2, 2, (3, 2), _random_samples=DRAWS2, return_indices=True),
        Sample(X2, (3, 2), output_ratio=(0.5, 0.7), _random_samples=DRAWS2),
    ],
    F + "fractional_max_pool3d": [
        Sample(X3, 2, (2, 2, 1), _random_samples=DRAWS3, return_indices=True),
    ],
    F + "max_unpool1d": [
        Sample(normal(2, 3, 4), positions((2, 3, 4), 8), 2),
        Sample(normal(2, 3, 4), positions((2, 3, 4), 9), 2, output_size=(9,)),
    ],
    F + "max_unpool2d": [
        Sample(normal(2, 3, 2, 3), positions((2, 3, 2, 3), 24), 2),
        Sample(normal(2, 3, 2, 3), positions((2, 3, 2, 3), 35), 2, output_size=(2, 3, 5, 7)),
    ],
    F + "max_unpool3d": [Sample(normal(1, 2, 2, 2, 2), positions((1, 2, 2, 2, 2), 64), 2)],
    F + "lp_pool1d": [Sample(uniform(2, 3, 7, low=0.2, high=2.0), 3.0, 2)],
    F + "lp_pool2d": [
        Sample(uniform(2, 3, 5, 6, low=0.2, high=2.0), 2.0, 2),
        Sample(uniform(2, 3, 5, 6, low=0.2, high=2.0), 3.0, (2, 3), stride=1),
    ],
    F + "lp_pool3d": [Sample(uniform(1, 2, 4, 4, 4, low=0.2, high=2.0), 2.0, 2)],
}
for name in ("max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "adaptive_avg_pool1d"):
    SAMPLES[name] = SAMPLES[F + name][:1]
for name, sample in {
    "max_pool1d": Sample(X1, 2), "max_pool2d": Sample(X2, 2), "max_pool3d": Sample(X3, 2),
    "adaptive_max_pool1d": Sample(X1, 3), "adaptive_max_pool2d": Sample(X2, 3),
    "adaptive_max_pool3d": Sample(X3, 2),
    "fractional_max_pool2d": Sample(X2, 2, (3, 2), _random_samples=DRAWS2),
    "fractional_max_pool3d": Sample(X3, 2, (2, 2, 1), _random_samples=DRAWS3),
}.items():  # fmt: skip
    SAMPLES[F + name + "_with_indices"] = [sample]

ERRORS = {
    F + "max_pool2d": [
        (Sample(X2, 2, padding=2), RuntimeError, "pad should be at most half of effective kernel"),
        (Sample(X2, 7), RuntimeError, "Output size is too small"),
        (Sample(normal(5, 5), 2), RuntimeError, "(batch mode) tensor expected for input"),
        (Sample(X2, 2, stride=0), RuntimeError, "stride should not be zero"),
        (Sample(X2, (2, 2, 2)), RuntimeError, "kernel_size must either be a single int"),
    ],
    F + "avg_pool2d": [
        (Sample(X2, 2, divisor_override=0), RuntimeError, "divisor must be not zero"),
        (Sample(X2, 7), RuntimeError, "Output size is too small"),
    ],
    F + "adaptive_avg_pool2d": [
        (Sample(normal(5, 5), 2), RuntimeError, "Expected 3D or 4D tensor, but got [5, 5]"),
        (Sample(X2, (2, -1)), RuntimeError, "must be greater than or equal to 0"),
    ],
    F + "max_unpool2d": [
        (
            Sample(normal(2, 3, 2, 3), positions((2, 3, 2, 3), 24) + 100, 2),
            RuntimeError,
            "Found an invalid max index",
        ),
        (
            Sample(normal(2, 3, 2, 3), positions((2, 3, 2, 3), 24), 2, output_size=(9, 9)),
            ValueError,
            "invalid output_size",
        ),
    ],
}
