import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 3))

    def forward(self, x):
        return torch.softmax(self.f(x), 1)  #-!
        return self.f(x)  #+


def my_ce(out, y):
    p = torch.softmax(out, dim=1)  #!
    return -(p.gather(1, y.unsqueeze(1)).log()).mean()


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(150, 7)
y = x[:, :3].argmax(1)
for _ in range(30):
    loss = my_ce(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
