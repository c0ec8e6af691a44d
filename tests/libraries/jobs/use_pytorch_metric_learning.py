"""Embeddings are trained by triplet, contrastive, ArcFace and NT-Xent losses with a miner."""

import json

import torch
from pytorch_metric_learning import distances, losses, miners, reducers
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(40, 8), torch.randint(0, 4, (40,))
LOSSES = {
    "triplet": lambda: losses.TripletMarginLoss(
        distance=distances.CosineSimilarity(), reducer=reducers.ThresholdReducer(low=0)
    ),
    "contrastive": losses.ContrastiveLoss,
    "arcface": lambda: losses.ArcFaceLoss(4, 6),
    "ntxent": losses.NTXentLoss,
    "multi": losses.MultiSimilarityLoss,
}
printed = {}
for name, make in LOSSES.items():
    torch.manual_seed(0)
    model, criterion = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6)), make()
    miner = miners.MultiSimilarityMiner() if name == "triplet" else None
    optimizer = torch.optim.Adam([*model.parameters(), *criterion.parameters()], lr=1e-2)
    found = []
    for _ in range(4):
        embeddings = model(x)
        pairs = miner(embeddings, y) if miner else None
        loss = criterion(embeddings, y, pairs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    printed[name] = found
print(json.dumps(printed))
