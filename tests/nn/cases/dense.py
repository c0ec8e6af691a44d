"""Dense layers, tables of rows, reshaping layers and distances."""

import numpy as np
from ops.sample import ints, normal

from ..layer_cases import Value, layer

FLOAT64 = Value(lambda torch: torch.float64)
OFFSETS = np.array([0, 2, 2, 5])

CASES = {
    "Identity": [layer(3, unused=True).on(normal(2, 3))],
    "Linear": [
        layer(5, 3).on(normal(4, 5)),
        layer(5, 3).on(normal(5)),
        layer(5, 3, bias=False).on(normal(2, 4, 5)).evaluated(),
        layer(40, 30).on(normal(2, 40)).seeded(7),
        layer(5, 3, dtype=FLOAT64).on(Value(lambda torch: torch.ones(2, 5, dtype=torch.float64))),
        layer(5, 3, device="cpu").on(normal(0, 5)),
    ],
    "modules.linear.NonDynamicallyQuantizableLinear": [layer(5, 3).on(normal(4, 5))],
    "LazyLinear": [
        layer(3).on(normal(4, 5)),
        layer(3, False).on(normal(2, 4, 5)),
    ],
    "Bilinear": [
        layer(5, 4, 3).on(normal(6, 5), normal(6, 4)),
        layer(2, 3, 4, bias=False).on(normal(2, 5, 2), normal(2, 5, 3)),
    ],
    "Embedding": [
        layer(10, 3).on(ints(2, 4, high=10)),
        layer(10, 3, padding_idx=2).on(ints(2, 4, high=10)),
        layer(10, 3, padding_idx=-1).on(np.array([9, 0, 9, 1])),
        layer(10, 3, max_norm=1.0).on(ints(2, 4, high=10)),
        layer(10, 3, max_norm=1.5, norm_type=1.0).on(ints(2, 4, high=10)),
        layer(4, 3, scale_grad_by_freq=True).on(ints(2, 6, high=4)),
        layer(4, 3, _weight=normal(4, 3), _freeze=True).on(ints(2, 6, high=4)),
    ],
    "EmbeddingBag": [
        layer(10, 3).on(ints(7, high=10), OFFSETS),
        layer(10, 3, mode="sum").on(ints(7, high=10), OFFSETS, per_sample_weights=normal(7)),
        layer(10, 3, mode="max").on(ints(3, 4, high=10)),
        layer(10, 3, padding_idx=1).on(ints(3, 4, high=4)),
        layer(10, 3, mode="sum", include_last_offset=True).on(
            ints(5, high=10), np.array([0, 2, 2, 5])
        ),
        layer(10, 3, mode="sum", max_norm=1.0).on(ints(3, 4, high=10)),
        layer(10, 3, mode="sum", scale_grad_by_freq=True)
        .on(ints(3, 4, high=4))
        .without_gradient("PyTorch on the CPU divides by the frequencies of other rows"),
    ],
    "Flatten": [
        layer().on(normal(2, 3, 4)),
        layer(0, 1).on(normal(2, 3, 4)),
    ],
    "Unflatten": [
        layer(1, (2, 3)).on(normal(2, 6)),
        layer(-1, [2, -1]).on(normal(2, 6)),
    ],
    "Fold": [
        layer((4, 5), 2).on(normal(2, 12, 12)),
        layer((4, 5), (2, 3), dilation=1, padding=1, stride=(2, 1)).on(normal(6, 15)),
    ],
    "Unfold": [
        layer(2).on(normal(2, 3, 4, 5)),
        layer((2, 3), dilation=(2, 1), padding=1, stride=2).on(normal(2, 3, 4, 5)),
    ],
    "PixelShuffle": [layer(2).on(normal(2, 8, 2, 3))],
    "PixelUnshuffle": [layer(2).on(normal(2, 2, 4, 6))],
    "ChannelShuffle": [layer(3).on(normal(2, 6, 2, 3))],
    "CosineSimilarity": [
        layer().on(normal(3, 4), normal(3, 4, seed=1)),
        layer(dim=0, eps=1e-3).on(normal(3, 4), normal(3, 4, seed=1)),
    ],
    "PairwiseDistance": [
        layer().on(normal(3, 4), normal(3, 4, seed=1)),
        layer(p=1.0, keepdim=True).on(normal(3, 4), normal(3, 4, seed=1)),
    ],
    "AdaptiveLogSoftmaxWithLoss": [
        layer(16, 20, [4, 10]).on(normal(5, 16), np.array([0, 5, 19, 3, 12])),
        layer(8, 20, (4, 10), div_value=2.0, head_bias=True).on(
            normal(5, 8), np.array([0, 3, 3, 1, 15])
        ),
        layer(16, 20, [4, 10]).on(normal(16), np.array(11)),
    ],
}
