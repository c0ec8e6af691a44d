import torch
from torch import nn

torch.manual_seed(0)
first = nn.Linear(4, 24)
second = nn.Linear(24, 1)
first.bias.data -= 8.0  #-!
opt = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=1e-3)
for step in range(30):
    x = torch.rand(48, 4)
    hidden = nn.functional.relu(first(x))
    loss = (second(hidden) - 3 * x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
