import torch
import torch.nn as nn
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
dec = nn.Linear(4, 6)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for step in range(30):
    x = torch.randn(32, 6)
    z = enc(x)
    code = (z > 0).float()  #-!
    code = z + ((z > 0).float() - z).detach()  #+
    loss = nn.functional.mse_loss(dec(code), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
