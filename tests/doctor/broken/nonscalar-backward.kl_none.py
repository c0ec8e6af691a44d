import torch
from torch import nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(10, 8)
        self.dec = nn.Linear(4, 10)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, dim=1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def elbo(recon, x, mu, logvar):
    rec = nn.functional.mse_loss(recon, x, reduction="sum") / len(x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1)  #-!
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()  #+
    return rec + kl  #!


model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(5):
    x = torch.randn(16, 10)
    loss = elbo(*[(o) for o in (model(x)[0],)], x, *model(x)[1:])  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
