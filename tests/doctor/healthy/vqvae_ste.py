import torch
from torch import nn

torch.manual_seed(0)
enc, dec, book = nn.Linear(8, 4), nn.Linear(4, 8), nn.Embedding(16, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *book.parameters()], lr=1e-2)
for _ in range(20):
    x = torch.randn(32, 8)
    z = enc(x)
    idx = torch.cdist(z, book.weight).argmin(1)
    q = book(idx)
    st = z + (q - z).detach()
    loss = (dec(st) - x).pow(2).mean() + (q - z.detach()).pow(2).mean() + 0.25 * (z - q.detach()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
