import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU())
        self.fc = nn.Linear(6 * 36, 2)

    def forward(self, x):
        return self.fc(self.block(x).flatten(1))


torch.manual_seed(0)
net = Net().train()
net.block.eval()  #-!
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for _ in range(25):
    y = torch.randint(0, 2, (16,))
    x = torch.randn(16, 1, 8, 8) + y.view(-1, 1, 1, 1)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
