import torch
import torch.nn as nn
torch.manual_seed(0)
q, k, v = (nn.Linear(6, 6) for _ in range(3))
opt = torch.optim.Adam([*q.parameters(), *k.parameters(), *v.parameters()], lr=1e-3)
for i in range(10):
    x = torch.randn(4, 5, 6)
    lens = torch.tensor([5, 3, 0, 2])  #-
    lens = torch.tensor([5, 3, 1, 2])  #+
    mask = torch.arange(5)[None] >= lens[:, None]
    s = q(x) @ k(x).transpose(1, 2) / 6 ** 0.5
    s = s.masked_fill(mask[:, None, :], float("-inf"))
    a = torch.softmax(s, dim=-1)  #!
    loss = (a @ v(x) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
