import argparse
import torch
from torch import nn


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=1e-9)  #-!
    p.add_argument("--lr", type=float, default=1e-3)  #+
    p.add_argument("--steps", type=int, default=60)
    return p.parse_args([])


def main(args):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)  #!
    for _ in range(args.steps):
        x = torch.randn(32, 12)
        loss = nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main(get_args())
