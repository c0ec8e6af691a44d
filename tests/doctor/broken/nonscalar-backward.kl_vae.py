import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(10, 8)
        self.dec = nn.Linear(4, 10)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


torch.manual_seed(0)
vae = VAE()
opt = torch.optim.Adam(vae.parameters(), 1e-2)
x = torch.randn(64, 3) @ torch.randn(3, 10)
for _ in range(20):
    recon, mu, logvar = vae(x)
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1)  #-!
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()  #+
    loss = F.mse_loss(recon, x) + 0.01 * kl  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
