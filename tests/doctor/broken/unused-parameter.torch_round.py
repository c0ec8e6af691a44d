import torch
import torch.nn as nn
torch.manual_seed(0)
enc = nn.Linear(8, 4)
dec = nn.Linear(4, 8)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for i in range(30):
    x = torch.randn(32, 8)
    z = enc(x)
    zq = torch.round(z)  #-!
    zq = z + (torch.round(z) - z).detach()  #+
    loss = (dec(zq) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
