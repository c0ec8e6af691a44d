"""Recurrent layers over padded and packed sequences, and single steps."""

import numpy as np
from ops.sample import normal

from ..layer_cases import Value, layer

X, STEP = normal(5, 3, 4), normal(3, 4)
ROWS = X.swapaxes(0, 1).copy()


def state(layers, batch=3, width=5, seed=1):
    return normal(layers, batch, width, seed=seed)


def packed(*lengths, enforce_sorted=True, seed=2):
    """Sequences of these lengths, packed."""

    def make(torch):
        found = [normal(n, 4, seed=seed + k) for k, n in enumerate(lengths)]
        sequences = [torch.tensor(s.astype(np.float32)) for s in found]
        return torch.nn.utils.rnn.pack_sequence(sequences, enforce_sorted)

    return Value(make)


def family(states, **options):
    """Cases of a class whose state has this many parts."""

    def first(layers, batch=3):
        parts = tuple(state(layers, batch, seed=k + 1) for k in range(states))
        return parts if states > 1 else parts[0]

    def one():
        parts = tuple(state(2, seed=k + 1)[:, 0] for k in range(states))
        return parts if states > 1 else parts[0]

    return [
        layer(4, 5, **options).on(X),
        layer(4, 5, 2, **options).on(X, first(2)),
        layer(4, 5, 2, batch_first=True, bidirectional=True, **options).on(ROWS, first(4)),
        layer(4, 5, bias=False, **options).on(X[:, 0]),
        layer(4, 5, bidirectional=True, batch_first=True, **options).on(X[:, 0], one()),
        layer(4, 5, 3, dropout=0.4, bidirectional=True, **options).on(X).seeded(3),
        layer(4, 5, 2, dropout=0.4, batch_first=True, **options).on(ROWS).evaluated(),
        layer(4, 5, **options).on(packed(4, 4, 2, 1)),
        layer(4, 5, 2, bidirectional=True, dropout=0.3, **options).on(packed(4, 3, 3), first(4)),
        layer(4, 5, bidirectional=True, **options).on(
            packed(2, 5, 3, enforce_sorted=False), first(2)
        ),
    ]


CASES = {
    "RNN": [
        *family(1),
        layer(4, 5, 2, nonlinearity="relu").on(X),
        layer(4, 5, 1, "relu", bidirectional=True).on(packed(3, 1), state(2, 2)),
    ],
    "LSTM": [
        *family(2),
        layer(4, 5, proj_size=2).on(X, (state(1, width=2), state(1, seed=2))),
        layer(4, 5, 2, proj_size=3, bidirectional=True).on(packed(5, 3, 2)),
        layer(4, 5, 1, False, True, 0.0, True, 1).on(ROWS),
    ],
    "GRU": family(1),
    "RNNCell": [
        layer(4, 5).on(STEP, state(1)[0]),
        layer(4, 5, bias=False, nonlinearity="relu").on(STEP),
        layer(4, 5).on(STEP[0], state(1)[0, 0]),
    ],
    "LSTMCell": [
        layer(4, 5).on(STEP, (state(1)[0], state(1, seed=2)[0])),
        layer(4, 5, bias=False).on(STEP),
        layer(4, 5).on(STEP[0]),
    ],
    "GRUCell": [
        layer(4, 5).on(STEP, state(1)[0]),
        layer(4, 5, bias=False).on(STEP),
        layer(4, 5).on(STEP[0], state(1)[0, 0]),
    ],
}
