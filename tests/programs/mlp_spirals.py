"""Classify two spirals with a multi-layer perceptron."""

import math

import torch
import torch.nn as nn
import torch.optim as optim


def spirals(n):
    t = torch.rand(n) * 2 * math.pi + 0.5
    label = torch.arange(n) % 2
    r = t / 4 + 0.02 * torch.randn(n)
    angle = t + math.pi * label.float()
    return torch.stack([r * torch.cos(angle), r * torch.sin(angle)], dim=1), label


class MLP(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 2),
        )

    def forward(self, x):
        return self.layers(x)


torch.manual_seed(0)
x, y = spirals(256)
model = MLP()
print(model)
print("parameters:", sum(p.numel() for p in model.parameters() if p.requires_grad))
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(200):
    optimizer.zero_grad()
    out = model(x)
    loss = criterion(out, y)
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0 or epoch == 199:
        accuracy = (out.argmax(dim=1) == y).float().mean().item()
        print(f"epoch {epoch:3d} loss {loss.item():.6f} accuracy {accuracy:.3f}")
