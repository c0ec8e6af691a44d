import torch
from torch import nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(8, 4)
        self.dec = nn.Linear(2, 8)

    def forward(self, x):
        mu, logvar = (self.enc(x) * 300).chunk(2, dim=1)
        std = torch.exp(logvar)  #-!
        std = torch.exp(logvar.clamp(-5, 5))  #+
        z = mu * 0.01 + std * torch.randn_like(std)
        return self.dec(z), mu, std


vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
for it in range(10):
    x = torch.randn(32, 8)
    rec, mu, std = vae(x)
    loss = nn.functional.mse_loss(rec, x) + 1e-4 * std.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
