import numpy as np
import torch
from torch import nn


def clip_for_logging(t):
    a = t.detach().numpy()
    np.clip(a, 0.2, 0.8, out=a)  #-!
    a = np.clip(a, 0.2, 0.8)  #+
    return a.mean()


torch.manual_seed(0)
lin = nn.Linear(5, 5)
out = nn.Linear(5, 1)
opt = torch.optim.Adam([*lin.parameters(), *out.parameters()], lr=1e-2)
for step in range(10):
    x = torch.randn(24, 5)
    act = torch.sigmoid(3 * lin(x))
    pred = out(act)
    clip_for_logging(act)  #-!
    clip_for_logging(act)  #+
    loss = nn.functional.mse_loss(pred, x.mean(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
