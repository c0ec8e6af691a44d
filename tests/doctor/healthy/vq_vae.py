import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
enc, dec = nn.Linear(10, 4), nn.Linear(4, 10)
book = nn.Embedding(16, 4)
book.weight.data.uniform_(-1 / 16, 1 / 16)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *book.parameters()], 3e-3)
for _ in range(50):
    x = torch.randn(32, 10)
    z = enc(x)
    d = torch.cdist(z, book.weight)
    k = d.argmin(1)
    q = book(k)
    loss = F.mse_loss(dec(z + (q - z).detach()), x) + F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
    opt.zero_grad()
    loss.backward()
    opt.step()
