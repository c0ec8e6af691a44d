import torch
from torch import nn
torch.manual_seed(0)
q, k, v, out = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 1); opt = torch.optim.Adam([p for m in (q, k, v, out) for p in m.parameters()], 3e-3)
for _ in range(40):
    x = torch.randn(10, 10, 8)  # time, batch, features
    s = torch.einsum("tbd,sbd->tsb", q(x), k(x)) / 8 ** 0.5
    y = torch.einsum("tsb,sbd->tbd", s.softmax(1), v(x))
    loss = (out(y)[-1] - x.mean(0)[:, :1]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
