import torch
from torch import nn


def masked_mean(values, mask):
    return (values * mask).sum(1) / mask.sum(1)  #-!
    return (values * mask).sum(1) / mask.sum(1).clamp(min=1)  #+


torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(30):
    x = torch.randn(10, 6, 4)
    mask = (torch.rand(10, 6) > 0.5).float()
    if i > 6:
        mask[3] = 0
    loss = (masked_mean(net(x).squeeze(-1), mask) - masked_mean(x[:, :, 0], mask)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
