"""Activation checkpointing: the same losses, recomputed activations, dropout included."""

import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU())
        self.out = nn.Linear(4 * width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return x + self.drop(self.out(self.body(x)))


class Net(nn.Module):
    def __init__(self, checkpointing, width=16, depth=4):
        super().__init__()
        self.checkpointing = checkpointing
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for block in self.blocks:
            if self.checkpointing and self.training:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return self.head(x)


def train(checkpointing):
    torch.manual_seed(0)
    model = Net(checkpointing)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x = torch.randn(64, 16)
    y = x.pow(2).sum(dim=1, keepdim=True) / 16
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


plain, recomputed = train(False), train(True)
for step in (0, 5, 10, 19):
    print(f"step {step} plain {plain[step]:.6f} checkpointed {recomputed[step]:.6f}")
layers = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(6)])
x = torch.randn(4, 8, requires_grad=True)
checkpoint_sequential(layers, 3, x, use_reentrant=False).sum().backward()
expected = x.grad.clone()
x.grad = None
layers(x).sum().backward()
print("sequential gives the same gradient:", torch.allclose(expected, x.grad))
