"""Activations and dropout."""

from ops.sample import normal

from ..layer_cases import layer

X = normal(3, 4)
DROPOUTS = ("Dropout", "AlphaDropout")

CASES = {
    **{
        name: [layer().on(X), layer(inplace=True).on(X)]
        for name in (
            "ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardsigmoid", "Hardswish",
        )
    },
    **{
        name: [layer().on(X)]
        for name in ("Sigmoid", "Tanh", "LogSigmoid", "Softsign", "Tanhshrink")
    },
    **{
        name: [layer().on(X), layer(0.5, inplace=True).on(X)] for name in ("ELU", "CELU")
    },
    **{name: [layer().on(X), layer(0.7).on(X)] for name in ("Hardshrink", "Softshrink")},
    **{
        name: [
            layer(dim=1).on(X),
            layer(0).on(normal(2, 3, 4)),
            layer(-1).on(normal(4)),
            layer().on(X).warns(f"Implicit dimension choice for {name[:3].lower()}"),
        ]
        for name in ("Softmax", "LogSoftmax", "Softmin")
    },
    "Softmax2d": [layer().on(normal(2, 3, 2, 2)), layer().on(normal(3, 2, 2))],
    "GELU": [layer().on(X), layer("tanh").on(X)],
    "GLU": [layer().on(X), layer(0).on(normal(4, 3))],
    "Hardtanh": [layer().on(X), layer(-0.5, 2.0, inplace=True).on(X)],
    "LeakyReLU": [layer().on(X), layer(0.2, inplace=True).on(X)],
    "PReLU": [layer().on(X), layer(3, init=0.1).on(normal(2, 3, 4))],
    "RReLU": [
        layer().on(normal(4, 9)),
        layer(0.1, 0.2, inplace=True).on(X).seeded(3),
        layer().on(X).evaluated(),
    ],
    "Softplus": [layer().on(X), layer(beta=3.0, threshold=2.0).on(X)],
    "Threshold": [layer(0.1, 2.0).on(X), layer(0.1, -1.0, inplace=True).on(X)],
    **{
        name: [
            layer().on(normal(4, 10)),
            layer(0.2).on(normal(4, 10)).repeated(2).seeded(5),
            layer(p=0.4, inplace=True).on(normal(4, 10)),
            layer(0.9).on(X).evaluated(),
            layer(0.0).on(X),
            layer(1.0).on(X),
        ]
        for name in DROPOUTS
    },
    "FeatureAlphaDropout": [layer(0.3).on(normal(3, 8, 2)), layer().on(normal(3, 8)).evaluated()],
    "Dropout1d": [layer(0.3).on(normal(3, 8, 2)), layer(0.3).on(normal(8, 2))],
    "Dropout2d": [
        layer(0.3).on(normal(3, 8, 2, 2)),
        layer(0.3, inplace=True).on(normal(3, 8, 2, 2)),
        layer().on(normal(3, 8, 2, 2)).evaluated(),
    ],
    "Dropout3d": [layer(0.3).on(normal(3, 8, 2, 1, 2)), layer(0.3).on(normal(8, 2, 1, 2))],
}  # fmt: skip
