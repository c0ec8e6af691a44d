import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
        self.fc = nn.Linear(16, 2)

    def forward(self, x):
        return self.fc(self.body(x))


def make_optimizer(model, lr):
    return torch.optim.SGD(model.fc.parameters(), lr=lr)  #-!
    return torch.optim.SGD(model.parameters(), lr=lr)  #+


torch.manual_seed(0)
model = Net()
optimizer = make_optimizer(model, 0.1)
for _ in range(12):
    x = torch.randn(32, 8)
    y = (x[:, 0] * x[:, 1] > 0).long()
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
