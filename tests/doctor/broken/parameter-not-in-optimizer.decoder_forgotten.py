#= nets.py
from torch import nn


class Encoder(nn.Module):
    def __init__(self, d, z):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, z))

    def forward(self, x):
        return self.net(x)


class Decoder(nn.Module):
    def __init__(self, z, d):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(z, 16), nn.ReLU(), nn.Linear(16, d))

    def forward(self, z):
        return self.net(z)
#= main
import itertools

import torch
from nets import Decoder, Encoder

torch.manual_seed(0)
enc, dec = Encoder(8, 3), Decoder(3, 8)
opt = torch.optim.RMSprop(enc.parameters(), lr=1e-3)  #-!
opt = torch.optim.RMSprop(itertools.chain(enc.parameters(), dec.parameters()), lr=1e-3)  #+
for epoch in range(15):
    x = torch.randn(32, 8)
    loss = (dec(enc(x)) - x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
