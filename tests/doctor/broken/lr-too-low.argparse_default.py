import argparse
import torch
from torch import nn


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=1e-9)  #-!
    p.add_argument("--lr", type=float, default=1e-3)  #+
    p.add_argument("--epochs", type=int, default=5)
    return p.parse_args([])


def main():
    args = parse()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 3))
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr)  #!
    y = torch.randint(0, 3, (256,))
    x = torch.randn(256, 1, 8, 8) + y.view(-1, 1, 1, 1)
    for _ in range(args.epochs):
        for i in range(0, 256, 32):
            loss = nn.functional.cross_entropy(net(x[i : i + 32]), y[i : i + 32])
            opt.zero_grad()
            loss.backward()
            opt.step()


main()
