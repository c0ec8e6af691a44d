import argparse

import torch
from torch import nn


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--accum-steps", type=int, default=4)
    p.add_argument("--epochs", type=int, default=2)
    return p.parse_args([])


def train(model, loader, optimizer, criterion, args):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        loss = loss / args.accum_steps  #+
        loss.backward()  #!
        if (i + 1) % args.accum_steps == 0:
            optimizer.step()
            optimizer.zero_grad()


args = parse()
torch.manual_seed(0)
loader = []
for _ in range(16):
    x = torch.randn(4, 6)
    loader.append((x, x[:, :3].argmax(1)))
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(args.epochs):
    train(model, loader, optimizer, nn.CrossEntropyLoss(), args)
