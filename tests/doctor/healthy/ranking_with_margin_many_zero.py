import torch
from torch import nn
torch.manual_seed(0)
u, v = nn.Embedding(30, 8), nn.Embedding(40, 8); opt = torch.optim.Adam([*u.parameters(), *v.parameters()], lr=2e-2)
like = torch.rand(30, 40) < 0.2
for _ in range(80):
    i = torch.randint(0, 30, (64,)); pos = torch.stack([like[k].float().add(1e-6).multinomial(1)[0] for k in i]); neg = torch.randint(0, 40, (64,))
    margin = (u(i) * (v(pos) - v(neg))).sum(1)
    loss = torch.relu(1 - margin).mean()
    opt.zero_grad(); loss.backward(); opt.step()
