import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
head = nn.Linear(4, 2)


def freeze_bn(m):
    if isinstance(m, nn.BatchNorm2d):
        m.eval()
        for p in m.parameters():
            p.requires_grad_(False)


opt = torch.optim.SGD([p for p in [*backbone.parameters(), *head.parameters()]], lr=0.05)
for _ in range(15):
    backbone.train()
    backbone.apply(freeze_bn)
    x = torch.randn(16, 1, 8, 8)
    y = (x.mean((1, 2, 3)) > 0).long()
    loss = nn.functional.cross_entropy(head(backbone(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
