"""Perceiver, Perceiver IO, Performer, Linformer, local attention and Reformer take steps."""

import json

import torch
from linformer import Linformer
from local_attention import LocalTransformer
from perceiver_pytorch import Perceiver, PerceiverIO
from performer_pytorch import PerformerLM
from reformer_pytorch import ReformerLM

images = torch.randn(2, 12, 12, 3, generator=torch.manual_seed(0))
tokens = torch.randint(0, 30, (2, 32), generator=torch.manual_seed(0))
vectors = torch.randn(2, 32, 16, generator=torch.manual_seed(0))


def next_token(net):
    return torch.nn.functional.cross_entropy(net(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])


def all_tokens(net):
    return torch.nn.functional.cross_entropy(net(tokens).transpose(1, 2), tokens)


MODELS = {
    "perceiver": (lambda: Perceiver(
        input_channels=3, input_axis=2, num_freq_bands=3, max_freq=6.0, depth=2, num_latents=8,
        latent_dim=16, cross_dim_head=8, latent_heads=2, latent_dim_head=8, num_classes=5,
        attn_dropout=0.1, weight_tie_layers=True,
    ), lambda net: net(images).square().mean()),
    "perceiver io": (lambda: PerceiverIO(
        depth=2, dim=16, queries_dim=16, logits_dim=4, num_latents=8, latent_dim=16,
        latent_heads=2, cross_dim_head=8, latent_dim_head=8,
    ), lambda net: net(vectors, queries=vectors[0, :5]).square().mean()),
    "performer": (lambda: PerformerLM(
        num_tokens=30, max_seq_len=32, dim=16, depth=2, heads=2, dim_head=8, causal=False,
        nb_features=16,
    ), all_tokens),
    "linformer": (lambda: Linformer(dim=16, seq_len=32, depth=2, heads=2, k=8),
                  lambda net: net(vectors).square().mean()),
    "local": (lambda: LocalTransformer(
        num_tokens=30, dim=16, depth=2, max_seq_len=32, causal=True, local_attn_window_size=8,
        heads=2, dim_head=8,
    ), next_token),
    "reformer": (lambda: ReformerLM(
        num_tokens=30, dim=16, depth=2, max_seq_len=32, heads=2, bucket_size=8, n_hashes=2,
        causal=True, ff_chunks=2,
    ), all_tokens),
}  # fmt: skip


def train(make, loss_of):
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


print(json.dumps({name: train(*parts) for name, parts in MODELS.items()}))
