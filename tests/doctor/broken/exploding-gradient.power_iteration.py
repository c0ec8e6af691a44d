import torch
from torch import nn

torch.manual_seed(0)
cell = nn.Linear(12, 12, bias=False)
nn.init.orthogonal_(cell.weight, gain=1.8)  #-!
nn.init.orthogonal_(cell.weight, gain=0.9)  #+
out = nn.Linear(12, 1)
opt = torch.optim.SGD([*cell.parameters(), *out.parameters()], lr=1e-3)
for _ in range(20):
    x = torch.randn(16, 12)
    h = x
    for _ in range(25):
        h = cell(h)  #!
    loss = nn.functional.mse_loss(out(h), x[:, :1])
    opt.zero_grad()
    loss.backward()  #!
    opt.step()  #!
