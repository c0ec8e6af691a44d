import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, d=6, h=20):
        super().__init__()
        self.w1 = nn.Parameter(torch.ones(d, h))  #-!
        self.w1 = nn.Parameter(torch.randn(d, h) / d ** 0.5)  #+
        self.b1 = nn.Parameter(torch.zeros(h))
        self.w2 = nn.Parameter(torch.ones(h, 1))  #-!
        self.w2 = nn.Parameter(torch.randn(h, 1) / h ** 0.5)  #+
        self.b2 = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return torch.tanh(x @ self.w1 + self.b1) @ self.w2 + self.b2


torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(60):
    x = torch.randn(40, 6)
    y = x[:, :1] * x[:, 1:2]
    loss = ((net(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
