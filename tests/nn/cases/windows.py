"""Pooling, padding and upsampling."""

import numpy as np
from ops.sample import distinct, normal

from ..layer_cases import layer

LINE, IMAGE, VOLUME = distinct(2, 3, 9), distinct(2, 3, 6, 7), distinct(1, 2, 4, 5, 6)
POOLED = {1: LINE, 2: IMAGE, 3: VOLUME}
SMALL = {1: normal(2, 3, 4), 2: normal(2, 3, 4, 3), 3: normal(1, 2, 3, 4, 3)}


def each(name, make):
    """Cases of a class per number of dimensions: `name.format(n)` -> make(n)."""
    return {name.format(n): make(n) for n in (1, 2, 3)}


def uneven(n):
    """A padding that differs on every side."""
    return tuple(range(1, 3)) + (0, 1, 1, 0)[: 2 * n - 2]


CASES = {
    **each("MaxPool{}d", lambda n: [
        layer(2).on(POOLED[n]),
        layer(3, 2, 1).on(POOLED[n]),
        layer(2, dilation=2, ceil_mode=True).on(POOLED[n]),
        layer((3,) * n, stride=(1,) * n, return_indices=True).on(POOLED[n]),
    ]),
    **each("AvgPool{}d", lambda n: [
        layer(2).on(POOLED[n]),
        layer((3,) * n, 2, 1, ceil_mode=True).on(POOLED[n]),
        layer(3, 2, 1, count_include_pad=False).on(POOLED[n]),
    ]),
    **each("LPPool{}d", lambda n: [
        layer(2, 3).on(POOLED[n]),
        layer(3.0, 2, stride=1, ceil_mode=True).on(np.abs(POOLED[n])),
    ]),
    **each("AdaptiveAvgPool{}d", lambda n: [
        layer(2).on(POOLED[n]),
        layer((2, 3, None)[:n]).on(POOLED[n]),
    ]),
    **each("AdaptiveMaxPool{}d", lambda n: [
        layer(2).on(POOLED[n]),
        layer(tuple((4, 3, 5)[:n]), return_indices=True).on(POOLED[n]),
    ]),
    "FractionalMaxPool2d": [
        layer(2, output_size=3).on(IMAGE),
        layer((2, 3), output_ratio=0.5, return_indices=True).on(IMAGE).seeded(4),
    ],
    "FractionalMaxPool3d": [
        layer(2, output_size=(2, 3, 2)).on(VOLUME),
        layer(2, output_ratio=(0.5, 0.6, 0.7)).on(VOLUME).seeded(4),
    ],
    "MaxUnpool1d": [
        layer(2).on(normal(1, 2, 2), np.array([[[1, 2], [0, 3]]])),
        layer(2, 2).on(normal(1, 2, 2), np.array([[[1, 2], [0, 4]]]), output_size=[5]),
    ],
    "MaxUnpool2d": [
        layer(2).on(normal(1, 1, 2, 2), np.array([[[[1, 2], [8, 15]]]])),
        layer((2, 3), stride=(2, 2), padding=0).on(
            normal(1, 1, 2, 2), np.array([[[[1, 2], [11, 18]]]])
        ),
    ],
    "MaxUnpool3d": [
        layer(2).on(normal(1, 1, 1, 2, 2), np.array([[[[[1, 2], [8, 31]]]]])),
    ],
    **each("ConstantPad{}d", lambda n: [
        layer(1, 2.5).on(SMALL[n]),
        layer(uneven(n), -1).on(SMALL[n]),
    ]),
    **each("ZeroPad{}d", lambda n: [layer(1).on(SMALL[n]), layer(uneven(n)).on(SMALL[n])]),
    **each("ReflectionPad{}d", lambda n: [layer(1).on(SMALL[n]), layer(uneven(n)).on(SMALL[n])]),
    **each("ReplicationPad{}d", lambda n: [layer(1).on(SMALL[n]), layer(uneven(n)).on(SMALL[n])]),
    **each("CircularPad{}d", lambda n: [layer(1).on(SMALL[n]), layer(uneven(n)).on(SMALL[n])]),
    "Upsample": [
        layer(6).on(normal(1, 2, 4)),
        layer(scale_factor=2).on(normal(1, 2, 3, 3)),
        layer(scale_factor=(1.5, 2), mode="bilinear").on(normal(1, 2, 4, 3)),
        layer(size=(5, 4), mode="bicubic", align_corners=True).on(normal(1, 2, 4, 3)),
        layer(scale_factor=2, mode="trilinear").on(normal(1, 1, 2, 3, 2)),
        layer(scale_factor=1.6, mode="linear", recompute_scale_factor=True).on(normal(1, 2, 5)),
    ],
    "UpsamplingNearest2d": [
        layer(scale_factor=2).on(normal(1, 2, 3, 3)),
        layer((5, 4)).on(normal(1, 2, 3, 3)),
    ],
    "UpsamplingBilinear2d": [
        layer(scale_factor=2).on(normal(1, 2, 3, 3)),
        layer(size=5).on(normal(1, 2, 3, 3)),
    ],
}  # fmt: skip
