import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
enc, dec, book = nn.Linear(8, 4), nn.Linear(4, 8), nn.Embedding(16, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *book.parameters()], 1e-2)
for i in range(50):
    x = torch.randn(64, 8)
    z = enc(x)
    idx = torch.cdist(z, book.weight).argmin(1)
    q = book(idx)
    loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
    q = z + (q - z).detach()
    loss = loss + F.mse_loss(dec(q), x)
    opt.zero_grad(); loss.backward(); opt.step()
