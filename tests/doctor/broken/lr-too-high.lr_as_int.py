import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=10)  #-!
parser.add_argument("--lr", type=float, default=0.05)  #+
args = parser.parse_args([])


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3, padding=1)
        self.fc = nn.Linear(6 * 16, 4)

    def forward(self, x):
        return self.fc(F.max_pool2d(F.relu(self.conv(x)), 2).flatten(1))


torch.manual_seed(0)
net = CNN()
opt = torch.optim.SGD(net.parameters(), lr=args.lr)  #!
for it in range(40):
    x = torch.randn(32, 1, 8, 8)
    y = x.flatten(1)[:, :4].argmax(1)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
