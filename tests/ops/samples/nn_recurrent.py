"""Samples of recurrent layers over sequences, padded and packed, and of single steps."""

import numpy as np

from ..sample import Sample, normal

FEATURES, H, N, T = 3, 2, 2, 3
X = normal(T, N, FEATURES)
DATA, SIZES = normal(6, FEATURES, seed=1), np.array([3, 2, 1])


def weights(gates, layers=1, both=False, bias=True, proj=0, inner=FEATURES):
    """Parameters of all layers and directions, in PyTorch's order."""
    found, seed = [], 10
    state = proj or H
    for k in range(layers):
        for _ in range(2 if both else 1):
            shapes = [(gates * H, inner if k == 0 else state * (2 if both else 1))]
            shapes += [(gates * H, state)]
            shapes += [(gates * H,)] * 2 if bias else []
            shapes += [(proj, H)] if proj else []
            for shape in shapes:
                found.append(normal(*shape, seed=seed) * 0.5)
                seed += 1
    return found


def hidden(count, batch=N, width=H, seed=5):
    return normal(count, batch, width, seed=seed)


def padded(gates, states, *, layers=1, both=False, bias=True, proj=0, first=False, x=X):
    count = layers * (2 if both else 1)
    hx = [hidden(count, width=proj or H), hidden(count, seed=6)][:states]
    params = weights(gates, layers, both, bias, proj)
    x = x.swapaxes(0, 1).copy() if first else x
    given = hx if states == 2 else hx[0]
    return Sample(x, given, params, bias, layers, 0.0, True, both, first)


def packed(gates, states, *, layers=1, both=False, bias=True):
    count = layers * (2 if both else 1)
    hx = [hidden(count, 3), hidden(count, 3, seed=6)][:states]
    given = hx if states == 2 else hx[0]
    params = weights(gates, layers, both, bias)
    sample = Sample(DATA, SIZES, given, params, bias, layers, 0.0, True, both)
    return sample.without("batch", because="the batch sizes are read as numbers")


def step(gates, states, bias=True):
    hx = [hidden(1)[0], hidden(1, seed=6)[0]][:states]
    params = weights(gates, bias=bias)
    return Sample(X[0], hx if states == 2 else hx[0], *params)


def family(gates, states):
    return [
        padded(gates, states),
        padded(gates, states, layers=2, both=True, first=True),
        padded(gates, states, bias=False, x=X[:1]),
        packed(gates, states),
        packed(gates, states, both=True, bias=False),
    ]


SAMPLES = {
    "lstm": [*family(4, 2), padded(4, 2, proj=1), padded(4, 2, layers=2, both=True, proj=1)],
    "gru": family(3, 1),
    "rnn_tanh": family(1, 1),
    "rnn_relu": family(1, 1),
    "lstm_cell": [step(4, 2), step(4, 2, bias=False)],
    "gru_cell": [step(3, 1), step(3, 1, bias=False)],
    "rnn_tanh_cell": [step(1, 1), step(1, 1, bias=False)],
    "rnn_relu_cell": [step(1, 1)],
}
for samples in SAMPLES.values():
    for sample in samples:
        sample.dtypes("float32")

ERRORS = {
    "lstm": [(Sample(X[:0], *padded(4, 2).args[1:]), RuntimeError, "larger than 0 in RNN")],
    "gru": [(Sample(X), TypeError, "received an invalid combination of arguments")],
    "rnn_tanh_cell": [
        (
            Sample(X[0, :, :2], hidden(1)[0], *weights(1)),
            RuntimeError,
            "input has inconsistent input_size: got 2 expected 3",
        ),
    ],
}
