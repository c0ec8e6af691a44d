import torch
import torch.nn as nn
def optimizers(*nets, lr):
    return [torch.optim.Adam(n.parameters(), lr=lr) for n in nets]  #!
torch.manual_seed(0)
enc, dec = nn.Linear(10, 4), nn.Linear(4, 10)
opts = optimizers(enc, dec, lr=1e-10)  #-
opts = optimizers(enc, dec, lr=1e-2)  #+
for i in range(40):
    x = torch.randn(32, 4) @ torch.randn(4, 10)
    loss = nn.functional.mse_loss(dec(enc(x)), x)
    for o in opts: o.zero_grad()
    loss.backward()
    for o in opts: o.step()
