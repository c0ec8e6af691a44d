import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
z = nn.Parameter(torch.randn(3, 4))
hyper = nn.Linear(4, 5 * 8 + 8 + 8)
opt = torch.optim.Adam([z, *hyper.parameters()], lr=5e-3)
for it in range(90):
    task = it % 3
    w = hyper(z[task])
    w1, b1, w2 = w[:40].view(8, 5), w[40:48], w[48:].view(1, 8)
    x = torch.randn(32, 5)
    y = x[:, task : task + 1]
    loss = F.mse_loss(F.linear(torch.tanh(F.linear(x, w1, b1)), w2), y)
    opt.zero_grad(); loss.backward(); opt.step()
