import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.fc = nn.Linear(c, c)

    def forward(self, x):
        y = torch.sigmoid(self.fc(x))
        z = F.relu_(y - 0.5)
        y.add_(z)  #-!
        y = y + z  #+
        return y


torch.manual_seed(0)
net = nn.Sequential(Block(6), Block(6), nn.Linear(6, 2))
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(8):
    loss = F.cross_entropy(net(torch.randn(10, 6)), torch.randint(0, 2, (10,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
