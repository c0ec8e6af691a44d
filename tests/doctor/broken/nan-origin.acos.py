import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
emb = nn.Linear(8, 4)
opt = torch.optim.SGD(emb.parameters(), lr=0.1)
def angle(a, b):
    c = (F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1)
    c = c.clamp(-1 + 1e-4, 1 - 1e-4)  #+
    return torch.acos(c)  #!
for i in range(20):
    x = torch.randn(16, 8)
    y = torch.cat([x[:8], torch.randn(8, 8)])
    loss = angle(emb(x), emb(y)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
