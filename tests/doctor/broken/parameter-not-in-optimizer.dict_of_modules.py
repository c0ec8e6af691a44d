import torch
from torch import nn

torch.manual_seed(0)


class Multi(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(4, 8)
        self.heads = {"a": nn.Linear(8, 1), "b": nn.Linear(8, 1)}  #-!
        self.heads = nn.ModuleDict({"a": nn.Linear(8, 1), "b": nn.Linear(8, 1)})  #+

    def forward(self, x):
        h = torch.relu(self.shared(x))
        return self.heads["a"](h), self.heads["b"](h)


m = Multi()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)  #!
for _ in range(15):
    x = torch.randn(16, 4)
    a, b = m(x)
    loss = (a - x[:, :1]).pow(2).mean() + (b - x[:, 1:2]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
