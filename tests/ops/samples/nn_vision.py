"""Samples of padding, resizing and sampling of images."""

import numpy as np

from ..sample import Sample, ints, normal, uniform

F = "nn.functional."
X1, X2, X3 = normal(2, 3, 5), normal(2, 3, 4, 5), normal(1, 2, 3, 4, 3)
GRID2 = uniform(2, 3, 4, 2, low=-1.3, high=1.3, seed=7)
GRID3 = uniform(1, 2, 3, 2, 3, low=-1.3, high=1.3, seed=7)
INNER = uniform(2, 3, 4, 2, low=-0.9, high=0.9, seed=8)


def off_borders(align: bool) -> np.ndarray:
    """Points near the centres of pixels of X2, some of them outside: no tie for the nearest."""
    pixel = ints(2, 3, 4, 2, low=-1, high=6) + uniform(2, 3, 4, 2, low=-0.3, high=0.3)
    size = np.array([5, 4])
    return pixel * 2 / (size - 1) - 1 if align else (pixel * 2 + 1) / size - 1


SAMPLES = {
    F + "pad": [
        Sample(X2, (1, 2)),
        Sample(X2, (1, 2, 0, 3, 2, 1), "constant", 2.5),
        Sample(X2, (-1, 1, 1, -2)),
        Sample(X1, (1, 2), mode="reflect"),
        Sample(X2, (1, 2, 3, 0), mode="reflect"),
        Sample(X3, (1, 2, 3, 0, 1, 1), mode="reflect"),
        Sample(normal(3, 5), (2, 1), mode="reflect"),
        Sample(X1, (6, 2), mode="replicate"),
        Sample(X2, (1, 2, 3, 0), mode="replicate"),
        Sample(X2, (-1, 2, 3, -2), mode="replicate"),
        Sample(X3, (1, 2, 3, 0, 1, 1), mode="replicate"),
        Sample(X1, (3, 5), mode="circular"),
        Sample(X2, (1, 2, 3, 0), mode="circular"),
        Sample(X3, (1, 2, 3, 0, 1, 1), mode="circular"),
        Sample(ints(2, 3), (1, 1), value=7),
    ],
    "constant_pad_nd": [Sample(X2, (1, 2)), Sample(X2, (1, 2, 0, 3), 1.5)],
    F + "interpolate": [
        Sample(X1, size=8),
        Sample(X2, scale_factor=2),
        Sample(X2, scale_factor=(1.7, 0.6)),
        Sample(X3, size=(4, 2, 5)),
        Sample(X2, scale_factor=(1.7, 0.6), recompute_scale_factor=True),
        Sample(X2, size=(7, 3), mode="nearest-exact"),
        Sample(X1, scale_factor=0.7, mode="nearest-exact"),
        Sample(X1, size=8, mode="linear"),
        Sample(X1, scale_factor=1.7, mode="linear", align_corners=True),
        Sample(X2, size=(7, 3), mode="bilinear"),
        Sample(X2, size=(7, 3), mode="bilinear", align_corners=True),
        Sample(X2, scale_factor=1.6, mode="bilinear"),
        Sample(X2, size=(1, 1), mode="bilinear", align_corners=True),
        Sample(X2, size=(7, 3), mode="bicubic"),
        Sample(X2, scale_factor=1.6, mode="bicubic", align_corners=True),
        Sample(X3, size=(4, 2, 5), mode="trilinear"),
        Sample(X3, scale_factor=1.6, mode="trilinear", align_corners=True),
        Sample(X2, size=(3, 7), mode="area"),
        Sample(X1, scale_factor=0.5, mode="area"),
        Sample(X2, size=(2, 7), mode="bilinear", antialias=True),
        Sample(X2, scale_factor=(0.6, 1.5), mode="bilinear", antialias=True),
        Sample(X2, size=(2, 7), mode="bicubic", antialias=True, align_corners=True),
    ],
    F + "grid_sample": [
        Sample(X2, off_borders(align) if mode == "nearest" else GRID2, mode, padding, align)
        for mode in ("bilinear", "nearest", "bicubic")
        for padding in ("zeros", "border", "reflection")
        for align in (False, True)
    ] + [
        Sample(X2, INNER, align_corners=False),
        Sample(X3, GRID3, align_corners=False),
        Sample(X3, GRID3, padding_mode="reflection", align_corners=True),
        Sample(X3, GRID3, mode="nearest", padding_mode="border", align_corners=False),
    ],
    "grid_sampler_2d": [Sample(X2, GRID2, 0, 0, False), Sample(X2, GRID2, 2, 1, True)],
    "grid_sampler_3d": [Sample(X3, GRID3, 0, 2, False)],
    F + "affine_grid": [
        Sample(normal(2, 2, 3), (2, 3, 4, 5), align_corners=False),
        Sample(normal(2, 2, 3), (2, 3, 4, 1), align_corners=True),
        Sample(normal(1, 3, 4), (1, 2, 3, 4, 2), align_corners=False),
    ],
    F + "pixel_shuffle": [Sample(normal(2, 8, 2, 3), 2), Sample(normal(9, 1, 2), 3)],
    F + "pixel_unshuffle": [Sample(normal(2, 2, 4, 6), 2), Sample(normal(2, 3, 3), 3)],
    F + "channel_shuffle": [Sample(normal(2, 6, 3), 2), Sample(normal(1, 6, 2, 2), 3)],
    "pixel_shuffle": [Sample(normal(2, 8, 2, 3), 2)],
    "pixel_unshuffle": [Sample(normal(2, 2, 4, 6), 2)],
    "channel_shuffle": [Sample(normal(2, 6, 3), 2)],
}  # fmt: skip

WRAPPED = "Padding value causes wrapping around more than once"
ERRORS = {
    F + "pad": [
        (Sample(X2, (1, 2, 3)), RuntimeError, "Padding length must be divisible by 2"),
        (Sample(normal(3), (1, 2, 3, 4)), RuntimeError, "Padding length should be less than or"),
        (Sample(X2, (5, 1), mode="reflect"), (RuntimeError, NotImplementedError), "padding"),
        (Sample(X1, (5, 1), mode="reflect"), RuntimeError, "Padding size should be less than the"),
        (Sample(X1, (6, 1), mode="circular"), RuntimeError, WRAPPED),
        (Sample(X1, (1, 1), mode="mirror"), NotImplementedError, "Unrecognised padding mode"),
        (Sample(normal(3), (-2, -2)), RuntimeError, "negative"),
    ],
    F + "interpolate": [
        (Sample(X2), ValueError, "either size or scale_factor should be defined"),
        (Sample(X2, 3, 2.0), ValueError, "only one of size or scale_factor should be defined"),
        (Sample(X2, 3, mode="linear"), NotImplementedError, "Got 4D input, but linear mode needs"),
        (Sample(X2, 3, align_corners=True), ValueError, "align_corners option can only be set"),
        (Sample(X2, (3, 3, 3)), ValueError, "must have the same number of spatial dimensions"),
    ],
    F + "grid_sample": [
        (Sample(X2, GRID2, "cubic"), ValueError, "expected mode to be 'bilinear'"),
        (
            Sample(X2, np.repeat(GRID2, 2, 0), align_corners=False),
            RuntimeError,
            "expected grid and input to have same batch size",
        ),
    ],
    F + "pixel_shuffle": [(Sample(X2, 2), RuntimeError, "pixel_shuffle expects its input's 'chan")],
}
