"""Samples of old and seldom names that have a newer twin."""

import numpy as np

from ..sample import Sample, matrix, normal, uniform

# PyTorch interpolates uint8 images in fixed point; the last unit depends on the processor.
FLOATS = ("float32", "float16", "bfloat16")

LENGTHS = np.array([2, 0, 3])
LOGITS = np.array([[0.3, 0.8], [0.6, 0.1]])

SAMPLES = {
    "alpha_dropout": [Sample(normal(3, 4), 0.4, False)],
    "feature_alpha_dropout": [Sample(normal(2, 3, 4), 0.4, False)],
    "binary_cross_entropy_with_logits": [
        Sample(normal(2, 2), LOGITS),
        Sample(normal(2, 2), LOGITS, reduction=2),
    ],
    "embedding": [Sample(normal(4, 3), np.array([[0, 2], [3, 3]]))],
    "hash_tensor": [Sample(normal(3, 4)), Sample(np.arange(6).reshape(2, 3), 1, keepdim=True)],
    "layer_norm": [Sample(normal(3, 4), [4]), Sample(normal(3, 4), [4], normal(4), normal(4))],
    "max_pool1d_with_indices": [Sample(normal(2, 3, 6), 2)],
    "norm_except_dim": [
        Sample(normal(3, 4)),
        Sample(normal(2, 3, 4), 2, 1),
        Sample(normal(3), 1, -1),
    ],
    "segment_reduce": [
        *(Sample(normal(5, 2), kind, lengths=LENGTHS) for kind in ("sum", "prod")),
        *(Sample(normal(5, 2), kind, lengths=np.array([2, 3])) for kind in ("max", "min")),
        Sample(normal(5), "mean", lengths=np.array([2, 3])),
        Sample(normal(5), "sum", offsets=np.array([0, 2, 2, 5]), initial=1.5),
        Sample(normal(2, 4), "max", lengths=np.array([[1, 3], [2, 2]]), axis=1),
    ],
    "swapaxes": [Sample(normal(2, 3, 4), 0, 2)],
    "chain_matmul": [Sample(normal(2, 3), normal(3, 4), normal(4, 2))],
    "nn.functional.max_pool1d_with_indices": [Sample(normal(2, 3, 6), 2)],
    "nn.functional.max_pool2d_with_indices": [Sample(normal(1, 2, 4, 6), 2, stride=1)],
    "nn.functional.max_pool3d_with_indices": [Sample(normal(1, 1, 4, 4, 4), 2)],
    "nn.functional.upsample": [
        Sample(normal(1, 2, 3, 4), scale_factor=2),
        Sample(normal(1, 2, 3, 4), size=(5, 6), mode="bilinear", align_corners=True).dtypes(
            *FLOATS
        ),
    ],
    "nn.functional.upsample_bilinear": [Sample(normal(1, 2, 3, 4), scale_factor=2).dtypes(*FLOATS)],
    "nn.functional.upsample_nearest": [Sample(normal(1, 2, 3, 4), size=(6, 8))],
    "select_copy": [Sample(normal(3, 4), 1, 2), Sample(normal(3, 4), 0, -1)],
    "slice_copy": [Sample(normal(5, 4), 0, 1, 4, 2), Sample(normal(3, 4), 1)],
    "slogdet": [Sample(matrix(3, 3)), Sample(matrix(2, 3, 3))],
    "unsafe_split_with_sizes": [Sample(normal(5, 2), [2, 3]), Sample(normal(2, 3), [1, 2], dim=1)],
    "vander": [Sample(uniform(4)), Sample(uniform(4), N=3, increasing=True)],
    "view_as_complex_copy": [
        Sample(normal(3, 2))
        .dtypes("float32")
        .without("strides", because="the two parts must be neighbours")
    ],
    "view_as_real_copy": [Sample(normal(3) + 1j * normal(3, seed=1))],
}
