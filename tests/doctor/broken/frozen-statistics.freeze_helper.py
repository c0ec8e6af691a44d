import torch
from torch import nn


def freeze_bn(module):
    for m in module.modules():
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.eval()  #-!
            m.train()  #+


torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(2, 8, 3), nn.BatchNorm1d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 10, 1))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for epoch in range(5):
    net.train()
    freeze_bn(net)
    for _ in range(8):
        x = torch.randn(16, 2, 12)
        loss = nn.functional.mse_loss(net(x), x[:, 0].mean(1, keepdim=True))
        opt.zero_grad()
        loss.backward()
        opt.step()
