"""Samples of the losses and distances of nn.functional."""

import numpy as np

from ..sample import Sample, ints, normal, uniform

F = "nn.functional."
X, Y = normal(3, 4), normal(3, 4, seed=1)
CLASSES = ints(3, high=4)
IGNORED = np.array([1, -100, 3])
X4, CLASSES4 = normal(2, 3, 2, 2), ints(2, 2, 2, high=3)
WEIGHT = uniform(4, low=0.2, high=1.5)
P = uniform(3, 4, low=0.05, high=0.95)
T = uniform(3, 4, low=0.05, high=0.95, seed=4)
HARD = np.array([[1e4, -1e4, 0.0], [-1e4, 1e4, 1e4]])
SIGNS = np.array([1, -1, 1])


def shares(*shape: int) -> np.ndarray:
    """Probabilities that sum to one along dimension 1."""
    p = uniform(*shape, low=0.1, high=1.0, seed=6)
    return p / p.sum(1, keepdims=True)


def each_reduction(*args, **kwargs) -> list[Sample]:
    return [Sample(*args, **kwargs, reduction=r) for r in ("mean", "sum", "none")]


SAMPLES = {
    F + "cross_entropy": [
        *each_reduction(X, CLASSES),
        *each_reduction(X, IGNORED),
        Sample(X, CLASSES, ignore_index=int(CLASSES[0])),
        *each_reduction(X, IGNORED, WEIGHT),
        *each_reduction(X, IGNORED, label_smoothing=0.2),
        *each_reduction(X, IGNORED, WEIGHT, label_smoothing=0.2),
        *each_reduction(X, shares(3, 4)),
        Sample(X, shares(3, 4), WEIGHT, label_smoothing=0.3),
        *each_reduction(X4, CLASSES4),
        Sample(X4, CLASSES4, WEIGHT[:3], label_smoothing=0.1),
        Sample(X4, shares(2, 3, 2, 2)),
        Sample(normal(2, 3, 4), ints(2, 4, high=3)),
        Sample(normal(5), np.array(3)),
        Sample(normal(5), np.array([3])),
        Sample(HARD, np.array([0, 0])),
        Sample(HARD, np.array([1, 2]), reduction="none"),
        Sample(normal(0, 4), np.zeros(0, np.int64), reduction="sum"),
    ],
    F + "nll_loss": [
        *each_reduction(X, IGNORED),
        *each_reduction(X, IGNORED, WEIGHT),
        *each_reduction(X4, CLASSES4, WEIGHT[:3]),
        Sample(normal(5), np.array(3)),
        Sample(normal(2, 3, 2, 2, 2), ints(2, 2, 2, 2, high=3)),
    ],
    F + "linear_cross_entropy": [
        Sample(X, normal(5, 4), ints(3, high=5), linear_bias=normal(5)),
        Sample(X, normal(5, 4), ints(3, high=5), reduction="sum"),
    ],
    F + "mse_loss": [*each_reduction(X, Y), Sample(normal(), normal(seed=1)),
                     *each_reduction(X, Y, weight=P)],
    F + "l1_loss": [*each_reduction(X, Y), Sample(normal(), normal(seed=1))],
    F + "smooth_l1_loss": [*each_reduction(X, Y), Sample(X, Y, beta=0.4), Sample(X, Y, beta=0.0)],
    F + "huber_loss": [*each_reduction(X, Y), Sample(X, Y, delta=0.4)],
    F + "binary_cross_entropy": [
        *each_reduction(P, T),
        Sample(P, T, weight=WEIGHT),
    ],
    F + "binary_cross_entropy_with_logits": [
        *each_reduction(X, T),
        Sample(HARD, uniform(2, 3, low=0.0, high=1.0)),
        Sample(X, T, pos_weight=WEIGHT),
        Sample(X, T, WEIGHT, reduction="none"),
    ],
    F + "kl_div": [
        *each_reduction(X, shares(3, 4)),
        Sample(X, shares(3, 4), reduction="batchmean"),
        Sample(X, Y, log_target=True),
    ],
    F + "poisson_nll_loss": [
        Sample(X, P * 5),
        Sample(P, T * 5, log_input=False, full=True),
        Sample(X, P * 5, reduction="none"),
    ],
    F + "gaussian_nll_loss": [
        Sample(X, Y, P),
        Sample(X, Y, P[:, :1], full=True),
        Sample(X, Y, P[:, 0], reduction="sum"),
        Sample(X, Y, 0.7, reduction="none"),
    ],
    F + "soft_margin_loss": [*each_reduction(X, np.sign(Y))],
    F + "hinge_embedding_loss": [
        *each_reduction(X, np.sign(Y).astype(int)), Sample(X, np.sign(Y).astype(int), 0.3),
    ],
    F + "margin_ranking_loss": [*each_reduction(normal(3), normal(3, seed=1), SIGNS, 0.3)],
    F + "cosine_similarity": [
        Sample(X, Y), Sample(X, Y, dim=0), Sample(normal(4), normal(4, seed=1), dim=0),
        Sample(normal(2, 1, 4), normal(3, 4, seed=1), dim=-1),
    ],
    "cosine_similarity": [Sample(X, Y)],
    F + "cosine_embedding_loss": [
        *each_reduction(X, Y, SIGNS), Sample(X, Y, SIGNS, margin=-0.6),
        Sample(normal(4), normal(4, seed=1), np.array(1)),
    ],
    F + "pairwise_distance": [
        Sample(X, Y), Sample(X, Y, p=1.0), Sample(X, Y, p=3.0, keepdim=True),
        Sample(normal(4), normal(4, seed=1)),
    ],
    "pairwise_distance": [Sample(X, Y)],
    F + "pdist": [Sample(normal(4, 3)), Sample(normal(4, 3), p=1.0), Sample(normal(4, 3), p=3.0)],
    F + "triplet_margin_loss": [
        *each_reduction(X, Y, normal(3, 4, seed=2)),
        Sample(X, Y, normal(3, 4, seed=2), margin=2.5, p=1, swap=True),
    ],
    F + "triplet_margin_with_distance_loss": [
        *each_reduction(X, Y, normal(3, 4, seed=2)),
        Sample(X, Y, normal(3, 4, seed=2), margin=0.5, swap=True),
    ],
    F + "multi_margin_loss": [
        *each_reduction(X, CLASSES), Sample(X, CLASSES, p=2, margin=0.7),
        Sample(X, CLASSES, weight=WEIGHT),
        Sample(normal(5), np.array(2)),
    ],
    F + "multilabel_margin_loss": [
        *each_reduction(X, np.array([[1, 3, -1, 0], [0, -1, 2, 2], [3, 2, 1, -1]])),
        Sample(normal(4), np.array([3, 0, -1, 1])),
    ],
    F + "multilabel_soft_margin_loss": [
        *each_reduction(X, np.round(T)), Sample(X, np.round(T), WEIGHT),
    ],
}  # fmt: skip

ERRORS = {
    F + "cross_entropy": [
        (Sample(X, np.array([1, 7, 0])), IndexError, "Target 7 is out of bounds."),
        (Sample(X, np.array([1, -1, 0])), IndexError, "Target -1 is out of bounds."),
        (Sample(X, np.array([1, 0])), ValueError, "Expected input batch_size (3) to match"),
        (Sample(X, np.array([1.0, 0, 2])), RuntimeError, "expected target dtype to be Long"),
        (Sample(X, CLASSES, WEIGHT[:3]), RuntimeError, "weight tensor should be defined either"),
        (Sample(X, X.astype(int)), RuntimeError, "Expected floating point type for target"),
        (Sample(X, CLASSES, reduction="avg"), ValueError, "avg is not a valid value for reduction"),
        (Sample(X4, ints(2, 3, 2, high=3)), RuntimeError, "size mismatch"),
        (Sample(X, CLASSES, label_smoothing=2.0), RuntimeError, "label_smoothing must be between"),
    ],
    F + "nll_loss": [(Sample(X, np.array([1, 4, 0])), IndexError, "Target 4 is out of bounds.")],
    F + "mse_loss": [(Sample(X, CLASSES[:2]), (RuntimeError, UserWarning), "size")],
    F + "binary_cross_entropy": [
        (Sample(X * 9, T), RuntimeError, "all elements of input should be between 0 and 1"),
        (Sample(P, T[:2]), ValueError, "Using a target size"),
    ],
    F + "binary_cross_entropy_with_logits": [
        (Sample(P, T[:2]), ValueError, "Target size"),
    ],
    F + "huber_loss": [(Sample(X, Y, delta=0.0), RuntimeError, "non-positive values for delta")],
    F + "smooth_l1_loss": [(Sample(X, Y, beta=-1.0), RuntimeError, "negative values for beta")],
    F + "gaussian_nll_loss": [(Sample(X, Y, -P), ValueError, "var has negative entry")],
    F + "multi_margin_loss": [(Sample(X, CLASSES, p=3), ValueError, "only p == 1 and p == 2")],
    F + "pdist": [(Sample(normal(3)), RuntimeError, "pdist only supports 2D tensors")],
}
