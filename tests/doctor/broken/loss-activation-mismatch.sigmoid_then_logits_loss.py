import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, tags))

    def forward(self, x):
        return torch.sigmoid(self.net(x))  #-!
        return self.net(x)  #+


torch.manual_seed(0)
model = Tagger(6)
crit = nn.BCEWithLogitsLoss(pos_weight=torch.ones(6) * 2)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(128, 12)
y = (x[:, :6] + x[:, 6:] > 0.5).float()
for _ in range(25):
    loss = crit(model(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
