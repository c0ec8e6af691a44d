import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 16)
        self.b = nn.Linear(16, 4)

    def forward(self, x):
        h = torch.exp(self.a(x))
        h /= h.sum(1, keepdim=True)  #-!
        h = h / h.sum(1, keepdim=True)  #+
        return self.b(h)


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-3)
x, y = torch.randn(60, 8), torch.randint(0, 4, (60,))
for _ in range(10):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
