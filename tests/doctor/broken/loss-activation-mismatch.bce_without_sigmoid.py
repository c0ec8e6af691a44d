import torch
from torch import nn

torch.manual_seed(0)


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1), nn.ReLU())  #-
        self.net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1), nn.Sigmoid())  #+

    def forward(self, x):
        return self.net(x).squeeze(1)  #!


model = Wide()
crit = nn.BCELoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for i in range(20):
    x = torch.randn(50, 10)
    y = (x.sum(1) > 0).float()
    loss = crit(model(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
