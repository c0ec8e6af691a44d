import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)

    def forward(self, x):
        g = torch.sigmoid(self.lin(x))
        out = x * g
        g += 1  #-!
        g = g + 1  #+
        return out + g.mean()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 6), Gate(6), nn.Linear(6, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(5):
    x = torch.randn(10, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
