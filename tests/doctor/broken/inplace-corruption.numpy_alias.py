import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(6, 6)
out = nn.Linear(6, 1)
opt = torch.optim.SGD([*layer.parameters(), *out.parameters()], lr=0.05)
for step in range(10):
    x = torch.randn(24, 6)
    y = x.sum(1, keepdim=True)
    h = torch.tanh(layer(x))
    arr = h.detach().numpy()
    arr *= 0.5  #-!
    h = h * 0.5  #+
    loss = nn.functional.mse_loss(out(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
