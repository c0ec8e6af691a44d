import torch
from torch import nn


def freeze(m):
    if isinstance(m, nn.BatchNorm1d):
        m.eval()  #!


torch.manual_seed(0)
layers = [nn.Linear(5, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Dropout(0.2), nn.Linear(12, 2)]  #!
net = nn.Sequential(*layers)
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
for epoch in range(3):
    net.train()
    net.apply(freeze)  #-
    for _ in range(6):
        x = torch.randn(32, 5)
        loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
