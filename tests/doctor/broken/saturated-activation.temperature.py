import torch
from torch import nn

torch.manual_seed(0)


def hidden(x, w, temperature):
    return torch.sigmoid((x @ w) / temperature)  #!


w = nn.Parameter(torch.randn(10, 30))
v = nn.Parameter(torch.randn(30, 1) * 0.1)
TEMP = 0.005  #-!
TEMP = 1.0  #+
opt = torch.optim.SGD([w, v], lr=0.02)
for it in range(60):
    x = torch.randn(64, 10)
    y = torch.cos(x.sum(1, keepdim=True) * 3)
    y = x[:, :1]  #+
    loss = nn.functional.mse_loss(hidden(x, w, TEMP) @ v, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
