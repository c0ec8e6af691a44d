import torch
from torch import nn


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, std=0.03)  #-!
        nn.init.xavier_normal_(m.weight)  #+
        nn.init.zeros_(m.bias)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(30, 30) for _ in range(8)])  #!
        self.out = nn.Linear(30, 4)

    def forward(self, x):
        for l in self.layers:
            x = torch.tanh(l(x))  #!
        return self.out(x)


torch.manual_seed(0)
m = MLP()
m.apply(init)  #!
opt = torch.optim.SGD(m.parameters(), lr=0.05)
x = torch.randn(256, 30)
y = x[:, :4].argmax(1)
for e in range(50):
    opt.zero_grad()
    nn.functional.cross_entropy(m(x), y).backward()
    opt.step()
