import torch
from torch import nn

torch.manual_seed(0)
shared = nn.Linear(5, 16)
tasks = nn.ModuleList(nn.Linear(16, 1) for _ in range(3))
opt = torch.optim.Adam([*shared.parameters(), *tasks.parameters()], lr=1e-2)
x = torch.randn(60, 5)
ys = [x[:, i : i + 1] for i in range(3)]
for _ in range(20):
    h = torch.tanh(shared(x))
    losses = torch.stack([nn.functional.mse_loss(t(h), y) for t, y in zip(tasks, ys)])  #!
    opt.zero_grad()
    losses.backward()  #-!
    losses.sum().backward()  #+
    opt.step()
