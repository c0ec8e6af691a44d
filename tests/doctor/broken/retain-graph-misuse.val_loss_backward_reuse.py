import torch
import torch.nn as nn
torch.manual_seed(0)
enc = nn.Linear(6, 6)
dec = nn.Linear(6, 6)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-3)
x = torch.randn(32, 6)
z = enc(x)  #-
for i in range(10):
    z = enc(x)  #+
    loss = nn.functional.mse_loss(dec(z), x)
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
