import argparse

import torch
import torch.nn as nn


def make(depth, width, act):
    mods = [nn.Linear(6, width), act()]  #!
    for _ in range(depth):
        mods += [nn.Linear(width, width), act()]  #!
    mods.append(nn.Linear(width, 3))
    return nn.Sequential(*mods)


parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, default=7)
parser.add_argument("--steps", type=int, default=60)
args = parser.parse_args([])
torch.manual_seed(0)
net = make(args.depth, 24, nn.Sigmoid)  #-!
net = make(2, 24, nn.ReLU)  #+
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for step in range(args.steps):
    x = torch.randn(64, 6)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
