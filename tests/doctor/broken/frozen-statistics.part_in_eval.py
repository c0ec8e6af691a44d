import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.bn = nn.BatchNorm2d(4)  #!
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(self.drop(torch.relu(self.bn(self.conv(x))).mean((2, 3))))


torch.manual_seed(0)
net = Net()
net.bn.eval()  #-!
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(15):
    x = torch.randn(8, 1, 8, 8)
    loss = nn.functional.cross_entropy(net(x), (x.mean((1, 2, 3)) > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
