"""Samples of the convolutions of nn.functional."""

from ..sample import Sample, cplx, normal

F = "nn.functional."
X1, X2, X3 = normal(2, 4, 7), normal(2, 4, 5, 6), normal(1, 2, 4, 3, 4)
W1, W2, W3 = normal(3, 4, 3), normal(3, 4, 3, 2), normal(3, 2, 2, 2, 3)
B = normal(3, seed=9)
# Transposed: (in, out / groups, kernel).
T1, T2, T3 = normal(4, 3, 3), normal(4, 3, 2, 3), normal(2, 3, 2, 2, 2)

SAMPLES = {
    F + "conv1d": [
        Sample(X1, W1, B),
        Sample(X1, W1, stride=2, padding=1, dilation=2),
        Sample(X1, normal(6, 2, 3), groups=2),
        Sample(normal(4, 7), W1, B),
        Sample(X1, normal(3, 4, 2), padding="same"),
        Sample(X1, W1, padding="valid"),
    ],
    F + "conv2d": [
        Sample(X2, W2, B),
        Sample(X2, W2, B, padding=1),
        Sample(X2, W2, stride=(2, 1), padding=(1, 2), dilation=(1, 2)),
        Sample(X2, normal(8, 1, 3, 3), normal(8), padding=1, groups=4),
        Sample(X2, normal(6, 2, 1, 1), groups=2),
        Sample(X2, normal(3, 4, 1, 1), B),
        Sample(X2, normal(3, 4, 1, 1), stride=2),
        Sample(X2, normal(3, 4, 4, 3), padding="same", dilation=(1, 2)),
        Sample(normal(4, 5, 6), W2, B),
        Sample(X2, normal(40, 4, 1, 2), padding=1),
        Sample(normal(0, 4, 5, 5), W2),
        Sample(cplx(1, 2, 4, 4), cplx(3, 2, 2, 2), cplx(3)),
    ],
    F + "conv3d": [
        Sample(X3, W3, B),
        Sample(X3, W3, stride=2, padding=1),
        Sample(X3, normal(4, 1, 2, 2, 2), groups=2, dilation=(2, 1, 1)),
    ],
    F + "conv_tbc": [Sample(normal(5, 2, 3), normal(2, 3, 4), normal(4), 1)],
    F + "conv_transpose1d": [
        Sample(X1, T1, B),
        Sample(X1, T1, stride=3, padding=1, output_padding=2, dilation=2),
        Sample(X1, normal(4, 2, 3), groups=2, stride=2),
        Sample(normal(4, 7), T1),
    ],
    F + "conv_transpose2d": [
        Sample(X2, T2, B),
        Sample(X2, T2, B, stride=2, padding=1, output_padding=1),
        Sample(X2, normal(4, 1, 2, 2), groups=4, dilation=2),
        Sample(X2, normal(4, 2, 3, 3), groups=2, padding=(2, 0), stride=(1, 2)),
        Sample(X2, T2, padding=(1, 3)),
    ],
    F + "conv_transpose3d": [Sample(X3, T3, B), Sample(X3, T3, stride=2, padding=1)],
    F + "unfold": [
        Sample(X2, 2),
        Sample(X2, (2, 3), dilation=2, padding=1, stride=2),
        Sample(normal(4, 5, 6), 3),
    ],
    F + "fold": [
        Sample(normal(2, 12, 12), (4, 5), (2, 2)),
        Sample(normal(2, 12, 6), (5, 6), (2, 3), dilation=(1, 2), padding=1, stride=2),
        Sample(normal(12, 12), (4, 5), 2),
    ],
}
for name in ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
             "conv_transpose3d"):  # fmt: skip
    SAMPLES[name] = SAMPLES[F + name][:1]

CHANNELS = "expected input[2, 4, 5, 6] to have 3 channels, but got 4 channels instead"
ERRORS = {
    F + "conv2d": [
        (
            Sample(X2, normal(6, 3, 3, 3)),
            RuntimeError,
            "Given groups=1, weight of size [6, 3, 3, 3], " + CHANNELS,
        ),
        (Sample(normal(4, 5), W2), RuntimeError, "Expected 3D (unbatched) or 4D (batched) input"),
        (Sample(X2, normal(3, 4, 7, 7)), RuntimeError, "Kernel size can't be greater than actual"),
        (Sample(X2, W2, normal(5)), RuntimeError, "expected bias to be 1-dimensional with 3"),
        (Sample(X2, normal(5, 2, 3, 3), groups=2), RuntimeError, "divisible by 2 at dimension 0"),
        (Sample(X2, W2, padding=-1), RuntimeError, "negative padding is not supported"),
        (Sample(X2, W2, stride=0), RuntimeError, "non-positive stride is not supported"),
        (Sample(X2, W2, stride=(1, 2, 3)), RuntimeError, "expected stride to be a single integer"),
        (Sample(X2, W2, padding="same", stride=2), RuntimeError, "padding='same' is not supported"),
        (Sample(X2, W2, padding="full"), RuntimeError, "Invalid padding string: 'full'"),
        (
            Sample(X2.astype("float32"), W2),
            RuntimeError,
            "Input type (torch.FloatTensor) and weight type (torch.DoubleTensor) should be the sam",
        ),
    ],
    F + "conv_transpose2d": [
        (Sample(X2, normal(3, 6, 3, 3)), RuntimeError, "Given transposed=1, weight of size [3, 6"),
        (Sample(X2, T2, stride=2, output_padding=2), RuntimeError, "output padding must be small"),
        (Sample(X2, T2, normal(5)), RuntimeError, "expected bias to be 1-dimensional with 3"),
    ],
    F + "fold": [
        (Sample(normal(2, 12, 11), (4, 5), 2), RuntimeError, "number of sliding blocks"),
        (Sample(normal(2, 11, 12), (4, 5), 2), RuntimeError, "divisible by the product of kernel"),
    ],
}
