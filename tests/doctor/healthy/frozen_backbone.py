import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU())
for p in backbone.parameters():
    p.requires_grad = False
backbone.eval()
head = nn.Linear(16, 2)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(head(backbone(x)), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
