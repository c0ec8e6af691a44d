import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.first = nn.Linear(10, 32)
        self.hidden = nn.ModuleList(nn.Linear(32, 32) for _ in range(depth))
        self.last = nn.Linear(32, 2)

    def forward(self, x):
        x = torch.sigmoid(self.first(x))  #-!
        x = torch.relu(self.first(x))  #+
        for layer in self.hidden:
            x = torch.sigmoid(layer(x))  #-!
            x = x + torch.relu(layer(x))  #+
        return self.last(x)


torch.manual_seed(0)
model = Deep(10)  #!
opt = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(256, 10)
y = (x[:, 0] * x[:, 1] > 0).long()
for epoch in range(60):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
