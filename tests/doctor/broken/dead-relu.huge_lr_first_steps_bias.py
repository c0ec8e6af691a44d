import torch
from torch import nn

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.h1 = nn.Linear(10, 32)
        self.h2 = nn.Linear(32, 32)
        self.o = nn.Linear(32, 2)
        self.h2.bias.data.sub_(20.0)  #-!

    def forward(self, x):
        x = nn.functional.relu(self.h1(x))
        x = nn.functional.relu(self.h2(x))  #!
        return self.o(x)


m = MLP()
opt = torch.optim.SGD(m.parameters(), lr=0.05)
for _ in range(40):
    x = torch.randn(32, 10)
    loss = nn.functional.cross_entropy(m(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
