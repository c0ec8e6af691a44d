"""Losses."""

import numpy as np
from ops.sample import ints, normal, uniform

from ..layer_cases import Value, layer

X, Y = normal(3, 4), normal(3, 4, seed=1)
PROBABILITIES, TARGETS = uniform(3, 4, low=0, high=1), uniform(3, 4, low=0, high=1, seed=1)
SIGNS = np.where(normal(3, 4, seed=2) > 0, 1.0, -1.0)
PAIR_SIGNS = np.array([1.0, -1.0, 1.0])
LABELS = np.array([1, 0, 3])
PIXELS = ints(2, 3, 2, high=4)
MASKED = np.array([1, -100, 3])


def fixed(array):
    """A float input without a gradient."""
    return Value(lambda torch: torch.tensor(array.astype(np.float32)))


def reductions(*inputs, **arguments):
    """One case for each reduction."""
    return [layer(reduction=r, **arguments).on(*inputs) for r in ("mean", "sum", "none")]


def log_probabilities(*shape):
    x = normal(*shape)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


CTC = (log_probabilities(8, 2, 5), ints(2, 3, low=1, high=5), np.array([8, 7]), np.array([3, 2]))

CASES = {
    "L1Loss": reductions(X, Y),
    "MSELoss": reductions(X, Y),
    "SmoothL1Loss": [*reductions(X, Y), layer(beta=0.3).on(X, Y)],
    "HuberLoss": [*reductions(X, Y), layer(delta=0.3).on(X, Y)],
    "PoissonNLLLoss": [
        *reductions(X, fixed(TARGETS * 3)),
        layer(log_input=False, full=True).on(PROBABILITIES, fixed(TARGETS * 3)),
    ],
    "GaussianNLLLoss": [
        *reductions(X, Y, PROBABILITIES),
        layer(full=True, eps=1e-2).on(X, Y, uniform(3, 1, low=0.1, high=1)),
    ],
    "KLDivLoss": [
        layer().on(X, TARGETS).warns("'batchmean' divides only by the batch size"),
        layer(reduction="sum").on(X, TARGETS),
        layer(reduction="none").on(X, TARGETS),
        layer(reduction="batchmean", log_target=True).on(X, Y),
    ],
    "BCELoss": [
        *reductions(PROBABILITIES, TARGETS),
        layer(weight=uniform(4, low=0.5, high=2)).on(PROBABILITIES, TARGETS),
    ],
    "BCEWithLogitsLoss": [
        *reductions(X, TARGETS),
        layer(weight=uniform(3, 1, low=0.5, high=2), pos_weight=uniform(4, low=1, high=3)).on(
            X, TARGETS
        ),
    ],
    "SoftMarginLoss": reductions(X, fixed(SIGNS)),
    "MultiLabelSoftMarginLoss": [
        *reductions(X, fixed((SIGNS + 1) / 2)),
        layer(uniform(4, low=0.5, high=2)).on(X, fixed((SIGNS + 1) / 2)),
    ],
    "CrossEntropyLoss": [
        *reductions(X, LABELS),
        layer(uniform(4, low=0.5, high=2)).on(X, LABELS),
        layer(label_smoothing=0.2).on(X, MASKED),
        layer(uniform(4, low=0.5, high=2), label_smoothing=0.1, reduction="none").on(X, MASKED),
        layer(ignore_index=3).on(X, LABELS),
        layer().on(X, TARGETS / TARGETS.sum(1, keepdims=True)),
        layer(label_smoothing=0.1).on(X, TARGETS / TARGETS.sum(1, keepdims=True)),
        layer().on(normal(2, 4, 3, 2), PIXELS),
        layer().on(normal(4), np.array(2)),
        layer().on(X * 1e4, LABELS),
    ],
    "LinearCrossEntropyLoss": [
        layer(4, 5).on(X, LABELS),
        layer(4, 5, bias=True, reduction="sum", label_smoothing=0.1).on(X, LABELS),
        layer(4, 5, weight=uniform(5, low=0.5, high=2)).on(X, MASKED),
    ],
    "NLLLoss": [
        *reductions(log_probabilities(3, 4), LABELS),
        layer(uniform(4, low=0.5, high=2)).on(log_probabilities(3, 4), MASKED),
        layer(ignore_index=0, reduction="sum").on(normal(2, 4, 3, 2), PIXELS),
    ],
    "NLLLoss2d": [
        layer(ignore_index=0)
        .on(normal(2, 4, 3, 2), PIXELS)
        .warns("`NLLLoss2d` has been deprecated")
    ],
    "MultiMarginLoss": [
        *reductions(X, LABELS),
        layer(2, 0.5, uniform(4, low=0.5, high=2)).on(X, LABELS),
    ],
    "MultiLabelMarginLoss": reductions(X, np.array([[3, 0, -1, 1], [0, -1, 1, 2], [1, 2, 0, 3]])),
    "CTCLoss": [
        *reductions(*CTC),
        layer(blank=4, zero_infinity=True).on(
            CTC[0], ints(2, 3, high=4), np.array([8, 2]), np.array([3, 3])
        ),
        layer().on(log_probabilities(8, 5), np.array([1, 2, 2]), np.array(8), np.array(3)),
    ],
    "HingeEmbeddingLoss": [*reductions(X, fixed(SIGNS)), layer(0.5).on(X, fixed(SIGNS))],
    "CosineEmbeddingLoss": [
        *reductions(X, Y, fixed(PAIR_SIGNS)),
        layer(0.2).on(X, Y, fixed(PAIR_SIGNS)),
    ],
    "MarginRankingLoss": [
        *reductions(normal(3), normal(3, seed=1), fixed(PAIR_SIGNS)),
        layer(0.4).on(normal(3), normal(3, seed=1), fixed(PAIR_SIGNS)),
    ],
    "TripletMarginLoss": [
        *reductions(X, Y, normal(3, 4, seed=2)),
        layer(2.0, p=1.0, swap=True).on(X, Y, normal(3, 4, seed=2)),
    ],
    "TripletMarginWithDistanceLoss": [
        *reductions(X, Y, normal(3, 4, seed=2)),
        layer(
            distance_function=Value(lambda torch: lambda a, b: (a - b).abs().sum(1)),
            margin=2.0,
            swap=True,
        ).on(X, Y, normal(3, 4, seed=2)),
    ],
}
