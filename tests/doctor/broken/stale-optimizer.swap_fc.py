import torch
import torch.nn as nn


class SmallResNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, stride=2)
        self.bn = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        x = torch.relu(self.bn(self.conv(x)))
        return self.fc(x.mean((2, 3)))


torch.manual_seed(0)
model = SmallResNet()
model.fc = nn.Linear(8, 2)  #+
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)  #!
model.fc = nn.Linear(8, 2)  #-!
for _ in range(10):
    x = torch.randn(8, 3, 9, 9)
    y = (x.mean((1, 2, 3)) > 0).long()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
