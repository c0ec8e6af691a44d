"""Queries and keys are rotated, in two dimensions too, and the frequencies are learned."""

import json

import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

torch.manual_seed(0)
plain = RotaryEmbedding(dim=8, learned_freq=True)
queries, keys = torch.randn(1, 2, 6, 16), torch.randn(1, 2, 6, 16)
turned, other = plain.rotate_queries_or_keys(queries), plain.rotate_queries_or_keys(keys)
scores = torch.einsum("bhid,bhjd->bhij", turned, other)
scores.square().mean().backward()
extended = RotaryEmbedding(dim=8, use_xpos=True)
first, second = extended.rotate_queries_and_keys(queries, keys)
pixels = RotaryEmbedding(dim=4, freqs_for="pixel", max_freq=10)
grid = apply_rotary_emb(pixels.get_axial_freqs(3, 3), torch.randn(1, 3, 3, 16))
print(
    json.dumps(
        {
            "scores": scores.flatten().tolist(),
            "gradient": plain.freqs.grad.tolist(),
            "extended": [first.sum().item(), second.sum().item()],
            "grid": grid.flatten()[:20].tolist(),
        }
    )
)
