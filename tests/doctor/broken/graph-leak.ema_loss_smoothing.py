import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--beta", type=float, default=0.98)
args = parser.parse_args([])


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(7, 14), nn.ELU(), nn.Linear(14, 1))
    opt = torch.optim.NAdam(model.parameters(), lr=2e-3)
    smooth = None
    for step in range(args.steps):
        x = torch.randn(32, 7)
        target = (x[:, 0] * x[:, 1]).unsqueeze(1)
        loss = nn.functional.mse_loss(model(x), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        value = loss  #-
        value = loss.item()  #+
        smooth = value if smooth is None else args.beta * smooth + (1 - args.beta) * value  #!
        if step % 20 == 0:
            print(step, float(smooth))


main()
