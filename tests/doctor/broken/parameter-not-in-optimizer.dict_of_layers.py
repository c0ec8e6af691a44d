import torch
from torch import nn


class Multi(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(6, 12)
        self.heads = {"a": nn.Linear(12, 1), "b": nn.Linear(12, 1)}  #-!
        self.heads = nn.ModuleDict({"a": nn.Linear(12, 1), "b": nn.Linear(12, 1)})  #+

    def forward(self, x, task):
        return self.heads[task](torch.relu(self.trunk(x)))


torch.manual_seed(0)
net = Multi()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)  #!
for i in range(30):
    x = torch.randn(16, 6)
    loss = (net(x, "a") - x[:, :1]).pow(2).mean() + (net(x, "b") - x[:, 1:2]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
