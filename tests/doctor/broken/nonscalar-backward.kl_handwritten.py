import torch
import torch.nn as nn
torch.manual_seed(0)
enc = nn.Linear(10, 8)
dec = nn.Linear(4, 10)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()])
for i in range(10):
    x = torch.rand(16, 10)
    mu, logvar = enc(x).chunk(2, dim=1)
    z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
    rec = nn.functional.mse_loss(dec(z), x)
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1)  #-!
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()  #+
    loss = rec + 0.1 * kl  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
