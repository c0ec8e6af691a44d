"""Samples of attention and of the losses of sequences."""

import numpy as np

from ..sample import Sample, bools, ints, normal

F = "nn.functional."
Q, K, V = normal(2, 3, 5, 4), normal(2, 3, 6, 4), normal(2, 3, 6, 2)
SEES = bools(5, 6) | np.eye(5, 6, dtype=bool)
HIDDEN = np.array([[True] * 6] * 4 + [[False] * 6])
E, H = 6, 2
X, Y = normal(4, 2, E), normal(5, 2, E)
PACKED, PACKED_BIAS = normal(3 * E, E, seed=1) * 0.3, normal(3 * E, seed=2) * 0.3
OUT, OUT_BIAS = normal(E, E, seed=3) * 0.3, normal(E, seed=4) * 0.3
PROJECTION = (PACKED, PACKED_BIAS, None, None, False, 0.0, OUT, OUT_BIAS)
LATER = np.triu(np.ones((4, 4), bool), 1)
PADDED = np.array([[False, False, False, True], [False] * 4])


def heads(*tensors: np.ndarray, **kwargs) -> Sample:
    return Sample(*tensors, E, H, *PROJECTION, **kwargs)


def log_probabilities(*shape: int) -> np.ndarray:
    x = normal(*shape)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


LP = log_probabilities(7, 3, 4)
LABELS = ints(3, 3, low=1, high=4)

SAMPLES = {
    F + "scaled_dot_product_attention": [
        Sample(Q, K, V),
        Sample(Q, K, V, SEES),
        Sample(Q, K, V, HIDDEN),
        Sample(Q, K, V, normal(5, 6)),
        Sample(Q, K, V, normal(2, 1, 5, 6)),
        Sample(Q, K, V, normal(2, 3, 1, 6)),
        Sample(Q, Q, Q, is_causal=True),
        Sample(Q, K, V, is_causal=True, scale=0.3),
        Sample(Q, K, K, SEES, is_causal=True),
        Sample(Q[0], K[0], V[0]),
        Sample(Q[0, 0], K[0, 0], V[0, 0]),
        Sample(Q, K[:1], V[:, :1]),
        Sample(normal(2, 4, 5, 4), normal(2, 2, 6, 4), normal(2, 2, 6, 2), enable_gqa=True),
    ],
    F + "multi_head_attention_forward": [
        heads(X, X, X),
        heads(X, Y, Y, need_weights=False),
        heads(X, X, X, attn_mask=LATER, key_padding_mask=PADDED),
        heads(X, X, X, attn_mask=LATER, need_weights=False, is_causal=True),
        heads(X, X, X, attn_mask=normal(4, 4, 4), average_attn_weights=False),
        heads(X[:, 0], Y[:, 0], Y[:, 0]),
        Sample(
            X, Y, Y, E, H, PACKED, PACKED_BIAS, normal(1, 1, E), normal(1, 1, E, seed=5), True,
            0.0, OUT, OUT_BIAS, attn_mask=normal(4, 5),
        ),
        Sample(
            X, normal(5, 2, 3), normal(5, 2, 4), E, H, None, PACKED_BIAS, None, None, False, 0.0,
            OUT, OUT_BIAS, use_separate_proj_weight=True, q_proj_weight=normal(E, E) * 0.3,
            k_proj_weight=normal(E, 3), v_proj_weight=normal(E, 4),
        ),
    ],
    F + "ctc_loss": [
        # PyTorch's gradient is the one of the logits before log_softmax.
        Sample(LP, LABELS, np.array([7, 6, 5]), np.array([3, 2, 0])).kink(),
        Sample(LP, LABELS, (7, 7, 7), (3, 2, 1), reduction="sum").kink(),
        Sample(LP, LABELS, (7, 2, 7), (3, 3, 1), reduction="none", zero_infinity=True).kink(),
        Sample(LP, ints(6, low=0, high=3), (7, 7, 7), (3, 2, 1), blank=3).kink(),
        Sample(LP[:, 0], LABELS[0], (7,), (3,), reduction="none").kink(),
    ],
}  # fmt: skip
# Its order of dimensions differs from one example to the next under vmap.
for sample in SAMPLES[F + "ctc_loss"]:
    sample.without("batch", because="the lengths are read as numbers")

ERRORS = {
    F + "scaled_dot_product_attention": [
        (
            Sample(Q[0], Q[0], Q[0], bools(5, 5), is_causal=True),
            RuntimeError,
            "Explicit attn_mask should not be set when is_causal=True",
        ),
        (Sample(Q, K.astype("float32"), V), RuntimeError, "to have the same dtype"),
        (Sample(Q[0, 0, 0], Q[0, 0, 0], Q[0, 0, 0]), RuntimeError, "at least 2 dimensional"),
        (Sample(Q, K, V, ints(5, 6)), RuntimeError, "Expected attn_mask dtype to be bool or float"),
        (Sample(Q, K, V, bools(5, 5)), RuntimeError, "must match the size of tensor b"),
    ],
    F + "multi_head_attention_forward": [
        (
            Sample(X, X, X, 7, H, *PROJECTION),
            AssertionError,
            "was expecting embedding dimension of 7, but got 6",
        ),
        (
            Sample(X, X, X, E, 4, *PROJECTION),
            AssertionError,
            "embed_dim 6 not divisible by num_heads 4",
        ),
        (
            heads(X, X, X, attn_mask=bools(3, 4)),
            RuntimeError,
            "The shape of the 2D attn_mask is",
        ),
        (heads(X, X, X, is_causal=True), RuntimeError, "Need attn_mask if specifying the is_cau"),
    ],
    F + "ctc_loss": [
        (Sample(LP, LABELS, (8, 7, 7), (3, 2, 1)), RuntimeError, "to have value at most 7"),
        (Sample(LP, LABELS, (7, 7), (3, 2, 1)), RuntimeError, "must be of size batch_size"),
        (Sample(LP, LABELS, (7, 7, 7), (3, 2, 1), 9), RuntimeError, "blank must be in label range"),
    ],
}
