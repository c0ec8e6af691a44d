import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 4))
        self.act = nn.Sigmoid()

    def forward(self, x):
        return self.act(self.layers(x))  #-!
        return self.layers(x)  #+


torch.manual_seed(0)
pi = Policy()
opt = torch.optim.Adam(pi.parameters(), lr=5e-3)
states = torch.randn(256, 5)
expert = states[:, :4].argmax(1)
for epoch in range(10):
    for i in range(0, 256, 64):
        loss = torch.nn.functional.cross_entropy(pi(states[i : i + 64]), expert[i : i + 64])  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
