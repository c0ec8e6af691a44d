import torch
from torch import nn

torch.manual_seed(0)
disc = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.1), nn.Linear(16, 1))  #-
disc = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.1), nn.Linear(16, 1), nn.Sigmoid())  #+
opt = torch.optim.Adam(disc.parameters(), lr=1e-3)
bce = nn.BCELoss()
for _ in range(10):
    x = torch.randn(32, 4)
    loss = bce(disc(x), (x[:, :1] > 0).float())  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
