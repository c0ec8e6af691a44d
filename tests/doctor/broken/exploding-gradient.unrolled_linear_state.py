import torch
from torch import nn


class Dynamics(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.A = nn.Parameter(torch.eye(n) * 1.6)  #-!
        self.A = nn.Parameter(torch.eye(n) * 0.9)  #+
        self.out = nn.Linear(n, 1)

    def forward(self, x, steps=30):
        for _ in range(steps):
            x = x @ self.A  #!
        return self.out(x)


torch.manual_seed(0)
net = Dynamics(6)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.randn(64, 6)
y = x[:, :1]
for _ in range(30):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
