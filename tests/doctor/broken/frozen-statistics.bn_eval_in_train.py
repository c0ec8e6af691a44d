import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8, 2)

    def train(self, mode=True):
        super().train(mode)
        self.bn.eval()  #-!
        return self

    def forward(self, x):
        return self.fc(torch.relu(self.bn(self.conv(x))).mean((2, 3)))


torch.manual_seed(0)
net = Net()
net.train()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(30):
    y = torch.randint(0, 2, (24,))
    x = torch.randn(24, 1, 6, 6) + y.view(-1, 1, 1, 1)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
