"""Norms over batches, examples, groups and neighbours."""

from ops.sample import normal

from ..layer_cases import layer

ROWS, LINES, IMAGES, VOLUMES = (
    normal(6, 4),
    normal(3, 4, 5),
    normal(3, 4, 3, 2),
    normal(2, 4, 2, 3, 2),
)
BROKEN_BACKWARD = "PyTorch's backward is not the derivative of its forward"

CASES = {
    "BatchNorm1d": [
        layer(4).on(ROWS),
        layer(4).on(LINES).repeated(3),
        layer(4).on(ROWS).evaluated(),
        layer(4, eps=1e-3, momentum=None).on(ROWS).repeated(3),
        layer(4, affine=False).on(ROWS),
        layer(4, bias=False).on(ROWS),
        layer(4, track_running_stats=False).on(ROWS),
        layer(4, track_running_stats=False).on(ROWS).evaluated(),
    ],
    "BatchNorm2d": [
        layer(4).on(IMAGES),
        layer(4, momentum=0.3).on(IMAGES).repeated(2),
        layer(4).on(IMAGES).evaluated(),
    ],
    "BatchNorm3d": [layer(4).on(VOLUMES), layer(4).on(VOLUMES).evaluated()],
    "LazyBatchNorm1d": [layer().on(ROWS), layer(affine=False).on(LINES).repeated(2)],
    "LazyBatchNorm2d": [layer(1e-3, None).on(IMAGES), layer(bias=False).on(IMAGES).evaluated()],
    "LazyBatchNorm3d": [layer(track_running_stats=False).on(VOLUMES)],
    "SyncBatchNorm": [layer(4).on(IMAGES), layer(4, 1e-3, None, bias=False).on(ROWS).evaluated()],
    "InstanceNorm1d": [
        layer(4).on(LINES),
        layer(4, affine=True).on(normal(4, 5)),
        layer(4, affine=True, track_running_stats=True).on(LINES).repeated(2),
        layer(4, affine=True, bias=False, track_running_stats=True).on(LINES).evaluated(),
    ],
    "InstanceNorm2d": [layer(4).on(IMAGES), layer(4, 1e-3, 0.2, True, True).on(normal(4, 3, 2))],
    "InstanceNorm3d": [layer(4, affine=True).on(VOLUMES)],
    "LazyInstanceNorm1d": [layer().on(LINES), layer(affine=False).on(LINES)],
    "LazyInstanceNorm2d": [layer(track_running_stats=False).on(IMAGES)],
    "LazyInstanceNorm3d": [layer(1e-3).on(VOLUMES)],
    "LayerNorm": [
        layer(4).on(ROWS),
        layer((4, 5)).on(LINES),
        layer([4, 5], eps=1e-2, bias=False).on(LINES),
        layer(4, elementwise_affine=False).on(ROWS),
        layer(4).on(normal(0, 4)),
    ],
    "RMSNorm": [
        layer(4).on(ROWS),
        layer((4, 5), eps=1e-2).on(LINES),
        layer(4, elementwise_affine=False).on(ROWS),
    ],
    "GroupNorm": [
        layer(2, 4).on(IMAGES),
        layer(4, 4, eps=1e-2, bias=False).on(LINES),
        layer(1, 4, affine=False).on(ROWS),
    ],
    "LocalResponseNorm": [
        layer(2).on(IMAGES),
        layer(3, alpha=0.5, beta=0.6, k=2.0).on(LINES),
    ],
    "CrossMapLRN2d": [
        layer(size, alpha=0.5, beta=0.6, k=2.0).on(normal(2, 7, 3, 2)).without_gradient(
            BROKEN_BACKWARD
        )
        for size in (1, 2, 3, 5)
    ],
}  # fmt: skip
