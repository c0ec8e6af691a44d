import argparse
import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--lr", type=float, default=30.0)  #-
ap.add_argument("--lr", type=float, default=0.03)  #+
args = ap.parse_args([])
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)  #!
for step in range(30):
    x = torch.randn(16, 1, 8, 8)
    y = (x.mean((1, 2, 3)) > 0).long()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
