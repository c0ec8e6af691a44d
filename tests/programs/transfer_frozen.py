"""Pretrain, save, load into a bigger model, freeze the body, train a new head, then unfreeze."""

import os
import tempfile
from collections import OrderedDict

import torch
import torch.nn as nn

torch.manual_seed(0)


def body():
    return nn.Sequential(
        OrderedDict(
            [
                ("fc1", nn.Linear(8, 32)),
                ("bn1", nn.BatchNorm1d(32)),
                ("act1", nn.ReLU()),
                ("fc2", nn.Linear(32, 16)),
                ("act2", nn.ReLU()),
            ]
        )
    )


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = body()
        self.classifier = nn.Linear(16, classes)

    def forward(self, x):
        return self.classifier(self.features(x))


def fit(model, x, y, steps, optimizer, tag):
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    for step in range(steps):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"{tag} loss {loss.item():.5f}")


x = torch.randn(128, 8)
first = Net(2)
y = (x[:, 0] * x[:, 1] > 0).long()
fit(first, x, y, 1, torch.optim.Adam(first.parameters(), lr=1e-2), "first step")
fit(first, x, y, 30, torch.optim.Adam(first.parameters(), lr=1e-2), "pretrained")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "first.pth")
    torch.save(first.state_dict(), path)
    state = torch.load(path, weights_only=True)
second = Net(4)
state = {k: v for k, v in state.items() if not k.startswith("classifier")}
missing, unexpected = second.load_state_dict(state, strict=False)
print("missing", missing, "unexpected", unexpected)
for parameter in second.features.parameters():
    parameter.requires_grad = False
second.features.eval()
frozen = second.features.fc1.weight.clone()
y = 2 * (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
trainable = [p for p in second.parameters() if p.requires_grad]
print("trainable", sum(p.numel() for p in trainable))
fit(second, x, y, 20, torch.optim.SGD(trainable, lr=0.1, momentum=0.9), "head")
print("body unchanged", torch.equal(frozen, second.features.fc1.weight))
second.requires_grad_(True).train()
groups = [
    {"params": second.features.parameters(), "lr": 1e-3},
    {"params": second.classifier.parameters()},
]
fit(second, x, y, 20, torch.optim.Adam(groups, lr=1e-2), "whole")
