import torch
from torch import nn

torch.manual_seed(0)
enc = nn.Linear(10, 4)
dec = nn.Linear(2, 10)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-3)
for i in range(12):
    x = torch.rand(16, 10)
    x[:, 0] = 0
    mu, s = enc(x).chunk(2, -1)
    recon = torch.sigmoid(dec(mu + torch.randn_like(mu)))
    ce = -(x * torch.log(recon / x)).sum(1).mean()  #-!
    ce = nn.functional.binary_cross_entropy(recon, x)  #+
    loss = ce + 0.01 * (mu**2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
