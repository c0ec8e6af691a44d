import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(6, 12), nn.Linear(12, 6)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for i in range(20):
    x = torch.randn(16, 6)
    code = F.gumbel_softmax(enc(x).view(16, 3, 4), tau=1.0, hard=i % 2 == 0).view(16, 12)
    loss = F.mse_loss(dec(code), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
