import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
hyper = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 4 * 8 + 8 + 8 + 1))
opt = torch.optim.Adam(hyper.parameters(), 3e-3)
for i in range(50):
    code = torch.randn(2)
    p = hyper(code)
    w1, b1, w2, b2 = p.split([32, 8, 8, 1])
    x = torch.randn(32, 4)
    h = torch.tanh(F.linear(x, w1.view(8, 4), b1))
    out = F.linear(h, w2.view(1, 8), b2)
    loss = (out - (x[:, :2] * code).sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
