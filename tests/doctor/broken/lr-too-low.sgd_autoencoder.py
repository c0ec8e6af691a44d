import argparse
import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--lr", type=float, default=1e-8)  #-!
ap.add_argument("--lr", type=float, default=1e-1)  #+
args = ap.parse_args([])
torch.manual_seed(0)
ae = nn.Sequential(nn.Linear(30, 8), nn.ReLU(), nn.Linear(8, 30), nn.Sigmoid())
opt = torch.optim.SGD(ae.parameters(), lr=args.lr, momentum=0.9)  #!
data = torch.rand(200, 30).round()
for epoch in range(10):
    for batch in data.split(20):
        loss = nn.functional.binary_cross_entropy(ae(batch), batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
