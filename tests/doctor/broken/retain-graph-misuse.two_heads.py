import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Linear(6, 10)
head_a, head_b = nn.Linear(10, 1), nn.Linear(10, 1)
params = [*trunk.parameters(), *head_a.parameters(), *head_b.parameters()]
opt = torch.optim.SGD(params, lr=0.02)
for _ in range(8):
    x = torch.randn(16, 6)
    z = torch.sigmoid(trunk(x))
    loss_a = (head_a(z) - x[:, :1]).pow(2).mean()
    loss_b = (head_b(z) - x[:, 1:2]).abs().mean()
    opt.zero_grad()
    loss_a.backward()  #-!
    loss_a.backward(retain_graph=True)  #+
    loss_b.backward()  #!
    opt.step()
