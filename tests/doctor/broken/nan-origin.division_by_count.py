import torch
from torch import nn


class WeightedLoss(nn.Module):
    def forward(self, pred, target, weight):
        err = (pred - target).abs() * weight
        return err.sum() / weight.sum()  #-!
        return err.sum() / weight.sum().clamp_min(1.0)  #+


torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
crit = WeightedLoss()
for i in range(30):
    x = torch.randn(8, 4)
    w = (torch.rand(8, 1) > 0.4).float()
    if i == 17:
        w.zero_()
    loss = crit(net(x), x[:, :1], w)
    opt.zero_grad()
    loss.backward()
    opt.step()
