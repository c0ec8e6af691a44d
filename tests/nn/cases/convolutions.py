"""Convolutions, transposed and lazy ones too."""

from ops.sample import normal

from ..layer_cases import layer

LINE, IMAGE, VOLUME = normal(2, 4, 9), normal(2, 4, 6, 7), normal(1, 2, 4, 5, 3)
MODES = ("reflect", "replicate", "circular")

CASES = {
    "Conv1d": [
        layer(4, 6, 3).on(LINE),
        layer(4, 6, 3, stride=2, padding=1, dilation=2, groups=2, bias=False).on(LINE),
        layer(4, 6, (4,), padding="same").on(LINE),
        layer(4, 6, 3, padding="valid").on(normal(4, 9)),
        *(layer(4, 6, 3, padding=2, padding_mode=mode).on(LINE) for mode in MODES),
    ],
    "Conv2d": [
        layer(4, 6, 3).on(IMAGE),
        layer(4, 6, (3, 2), (2, 1), (1, 2), (1, 2)).on(IMAGE),
        layer(4, 4, 3, padding=1, groups=4).on(IMAGE),
        layer(4, 6, 1, bias=False).on(normal(4, 6, 7)),
        layer(4, 2, (2, 3), padding="same", dilation=2).on(IMAGE),
        layer(4, 2, (2, 3), padding="same", padding_mode="reflect").on(IMAGE),
        *(layer(4, 2, 3, 2, (1, 2), padding_mode=mode).on(IMAGE) for mode in MODES),
        layer(4, 6, 3).on(normal(0, 4, 6, 7)),
    ],
    "Conv3d": [
        layer(2, 3, 2).on(VOLUME),
        layer(2, 4, (2, 3, 1), (1, 2, 1), (0, 1, 1), groups=2).on(VOLUME),
        layer(2, 2, 3, padding=1, padding_mode="circular").on(VOLUME),
    ],
    "ConvTranspose1d": [
        layer(4, 6, 3).on(LINE),
        layer(4, 6, 3, 2, 1, 1, groups=2, bias=False, dilation=2).on(LINE),
    ],
    "ConvTranspose2d": [
        layer(4, 3, 3).on(IMAGE),
        layer(4, 3, (3, 2), (2, 1), (1, 0), (1, 0)).on(IMAGE),
        layer(4, 3, 3, stride=2).on(IMAGE, output_size=[14, 16]),
        layer(4, 3, 3, stride=2).on(normal(4, 3, 3), output_size=(3, 7, 8)),
    ],
    "ConvTranspose3d": [
        layer(2, 3, 2).on(VOLUME),
        layer(2, 4, 2, 2, 1, 1, 2).on(VOLUME),
    ],
    "LazyConv1d": [layer(6, 3).on(LINE), layer(6, 3, bias=False).on(normal(4, 9))],
    "LazyConv2d": [
        layer(6, 3).on(IMAGE),
        layer(6, 3, 1, 1, 1, 2, False, "reflect").on(IMAGE),
    ],
    "LazyConv3d": [layer(3, 2).on(VOLUME)],
    "LazyConvTranspose1d": [layer(6, 3).on(LINE)],
    "LazyConvTranspose2d": [
        layer(3, 3, 2, 1, 1, 1, False, 2).on(IMAGE),
        layer(4, 3, stride=2, groups=2).on(IMAGE, output_size=[14, 16]),
    ],
    "LazyConvTranspose3d": [layer(3, 2).on(VOLUME)],
}
