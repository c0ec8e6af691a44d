"""Attention of several heads, and transformers, with masks of every kind."""

import numpy as np
from ops.sample import normal

from ..layer_cases import Value, layer

E, H = 6, 2
X, MEMORY = normal(4, 2, E), normal(5, 2, E, seed=1)
ROWS, MEMORY_ROWS = X.swapaxes(0, 1).copy(), MEMORY.swapaxes(0, 1).copy()
LATER = np.triu(np.ones((4, 4), bool), 1)
PADDED = np.array([[False, False, False, True], [False, False, True, True]])
MEMORY_PADDED = np.array([[False] * 5, [False, False, False, True, True]])
CAUSAL = Value(lambda torch: torch.nn.Transformer.generate_square_subsequent_mask(4))
ADDED = Value(lambda torch: torch.tensor(normal(4, 4, seed=3).astype(np.float32)))
PER_HEAD = Value(lambda torch: torch.tensor(normal(4, 4, 4, seed=3).astype(np.float32)))
SMALL = {"dim_feedforward": 5}
STILL = {"dropout": 0.0, **SMALL}


def encoder_layer(**options):
    return Value(lambda torch: torch.nn.TransformerEncoderLayer(E, H, **options))


def decoder_layer(**options):
    return Value(lambda torch: torch.nn.TransformerDecoderLayer(E, H, **options))


def norm(torch):
    return torch.nn.LayerNorm(E)


CASES = {
    "MultiheadAttention": [
        layer(E, H).on(X, X, X),
        layer(E, H).on(X, MEMORY, MEMORY, need_weights=False),
        layer(E, H, batch_first=True).on(ROWS, MEMORY_ROWS, MEMORY_ROWS),
        layer(E, H, bias=False).on(X, X, X, attn_mask=LATER, key_padding_mask=PADDED),
        layer(E, H).on(X, X, X, attn_mask=LATER, need_weights=False, is_causal=True),
        layer(E, H).on(X, X, X, attn_mask=LATER, is_causal=True),
        layer(E, H).on(X, X, X, attn_mask=PER_HEAD, average_attn_weights=False),
        layer(E, H).on(X, X, X, attn_mask=PER_HEAD, need_weights=False),
        layer(E, 3, kdim=3, vdim=5).on(X, normal(5, 2, 3), normal(5, 2, 5)),
        layer(E, H, add_bias_kv=True, add_zero_attn=True).on(X, MEMORY, MEMORY),
        layer(E, H, add_bias_kv=True).on(
            X, MEMORY, MEMORY, key_padding_mask=MEMORY_PADDED, need_weights=False
        ),
        layer(E, H, add_zero_attn=True).on(X, X, X, attn_mask=ADDED),
        layer(E, H).on(X[:, 0], MEMORY[:, 0], MEMORY[:, 0], key_padding_mask=MEMORY_PADDED[1]),
        layer(E, H, batch_first=True).on(X[:, 0], X[:, 0], X[:, 0], need_weights=False),
        layer(E, H, 0.4).on(X, X, X).seeded(2),
        layer(E, H, 0.4).on(X, X, X, need_weights=False).seeded(2),
        layer(E, H, 0.4).on(X, X, X).evaluated(),
    ],
    "TransformerEncoderLayer": [
        layer(E, H, **STILL).on(X),
        layer(E, H, **STILL, norm_first=True, activation="gelu").on(X, src_mask=LATER),
        layer(E, H, **STILL, batch_first=True).on(ROWS, src_key_padding_mask=PADDED),
        layer(E, H, **STILL, bias=False, layer_norm_eps=1e-2).on(X, ADDED),
        layer(E, H, **STILL, activation=Value(lambda torch: torch.tanh)).on(X[:, 0]),
        layer(E, H, **STILL).on(X, src_mask=CAUSAL, is_causal=True),
        layer(E, H, **SMALL).on(X).seeded(4),
        layer(E, H, **SMALL).on(X, src_mask=LATER, src_key_padding_mask=PADDED).evaluated(),
    ],
    "TransformerDecoderLayer": [
        layer(E, H, **STILL).on(X, MEMORY),
        layer(E, H, **STILL, norm_first=True, activation="gelu").on(
            X, MEMORY, tgt_mask=CAUSAL, tgt_is_causal=True
        ),
        layer(E, H, **STILL, batch_first=True, bias=False).on(
            ROWS, MEMORY_ROWS, tgt_mask=LATER, tgt_key_padding_mask=PADDED,
            memory_key_padding_mask=MEMORY_PADDED,
        ),
        layer(E, H, **SMALL).on(X, MEMORY).seeded(4),
        layer(E, H, **SMALL).on(X[:, 0], MEMORY[:, 0]).evaluated(),
    ],
    "TransformerEncoder": [
        layer(encoder_layer(**STILL), 2).on(X),
        layer(encoder_layer(**STILL, norm_first=True), 2, Value(norm)).on(X, CAUSAL),
        layer(encoder_layer(**STILL, batch_first=True), 2).on(
            ROWS, mask=LATER, src_key_padding_mask=PADDED
        ),
        layer(encoder_layer(**SMALL), 1, enable_nested_tensor=False).on(X).seeded(4),
        layer(encoder_layer(**SMALL, batch_first=True), 2, mask_check=False).on(
            ROWS, src_key_padding_mask=PADDED
        ).evaluated(),
    ],
    "TransformerDecoder": [
        layer(decoder_layer(**STILL), 2).on(X, MEMORY),
        layer(decoder_layer(**STILL), 2, Value(norm)).on(X, MEMORY, CAUSAL),
        layer(decoder_layer(**SMALL, batch_first=True), 1).on(ROWS, MEMORY_ROWS).evaluated(),
    ],
    "Transformer": [
        layer(E, H, 1, 1, **STILL).on(MEMORY, X, tgt_mask=CAUSAL),
        layer(E, H, 1, 2, **STILL, batch_first=True, norm_first=True, activation="gelu").on(
            MEMORY_ROWS, ROWS, tgt_mask=LATER, src_key_padding_mask=MEMORY_PADDED,
            memory_key_padding_mask=MEMORY_PADDED, tgt_key_padding_mask=PADDED,
        ),
        layer(E, H, 1, 1, **SMALL).on(MEMORY, X).seeded(4),
        layer(E, H, 1, 1, **SMALL, bias=False).on(MEMORY[:, 0], X[:, 0]).evaluated(),
    ],
}  # fmt: skip
