import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 32)
        self.bn = nn.BatchNorm1d(32)
        self.drop = nn.Dropout(0.5)
        self.fc2 = nn.Linear(32, 2)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.bn(self.fc1(x)))))


def train(model, loader, opt, crit):
    model.train()  #+
    for x, y in loader:
        opt.zero_grad()
        crit(model(x), y).backward()
        opt.step()


def validate(model, loader):
    model.eval()  #!
    correct = total = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return correct / total


torch.manual_seed(0)
x = torch.randn(128, 8)
y = (x[:, 0] > 0).long()
loader = list(zip(x.split(16), y.split(16)))
model = Net()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    train(model, loader, opt, nn.CrossEntropyLoss())
    print(validate(model, loader))
