import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc1 = nn.Linear(d, d)
        self.fc2 = nn.Linear(d, d)  #!

    def forward(self, x):
        h = torch.relu(self.fc1(x))
        return x + h  #-
        return x + self.fc2(h)  #+


torch.manual_seed(0)
model = nn.Sequential(Block(6), Block(6), nn.Linear(6, 1))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
x = torch.randn(128, 6)
y = (x[:, 0] * x[:, 1]).unsqueeze(1)
for step in range(40):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
