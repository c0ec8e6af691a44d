import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.ones(8, 5) * 0.2)  #-!
        self.w1 = nn.Parameter(torch.randn(8, 5) * 0.4)  #+
        self.b1 = nn.Parameter(torch.zeros(8))
        self.w2 = nn.Parameter(torch.ones(2, 8) * 0.2)  #-!
        self.w2 = nn.Parameter(torch.randn(2, 8) * 0.3)  #+

    def forward(self, x):
        return torch.relu(x @ self.w1.T + self.b1) @ self.w2.T


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(50):
    x = torch.randn(64, 5)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > x[:, 1]).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
