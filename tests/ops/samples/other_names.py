"""Samples of old and seldom names that have a newer twin."""

from ..sample import Sample, matrix, normal, uniform

# PyTorch interpolates uint8 images in fixed point; the last unit depends on the processor.
FLOATS = ("float32", "float16", "bfloat16")

SAMPLES = {
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
