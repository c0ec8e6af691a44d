import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(25):
    x = torch.randn(48, 5)
    loss = nn.BCELoss()(net(x).squeeze(1), (x.sum(1) > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
