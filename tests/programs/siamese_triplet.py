"""Embeddings learned from triplets and pairs; weights shared by three branches."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv1d(1, 8, kernel_size=3, padding=1),
            nn.InstanceNorm1d(8, affine=True),
            nn.LeakyReLU(0.1),
            nn.AdaptiveAvgPool1d(4),
        )
        self.fc = nn.Linear(32, 8)

    def forward(self, x):
        return F.normalize(self.fc(torch.flatten(self.cnn(x), 1)), dim=1)


torch.manual_seed(5)
t = torch.linspace(0, 6.28, 24)


def waves(labels):
    phase = 0.5 * torch.randn(len(labels), 1)
    return (
        torch.sin((labels[:, None] + 1.0) * t + phase) + 0.1 * torch.randn(len(labels), 24)
    ).unsqueeze(1)


net = Embedder()
triplet = nn.TripletMarginLoss(margin=0.5)
pairs = nn.CosineEmbeddingLoss(margin=0.2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(40):
    labels = torch.randint(0, 4, (32,))
    others = (labels + torch.randint(1, 4, (32,))) % 4
    anchor, positive, negative = net(waves(labels)), net(waves(labels)), net(waves(others))
    sign = torch.cat([torch.ones(32), -torch.ones(32)])
    loss = triplet(anchor, positive, negative) + 0.5 * pairs(
        anchor.repeat(2, 1), torch.cat([positive, negative]), sign
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 8 == 0 or step == 39:
        near = F.pairwise_distance(anchor, positive).mean().item()
        far = F.pairwise_distance(anchor, negative).mean().item()
        print(f"step {step} loss {loss.item():.5f} near {near:.3f} far {far:.3f}")
