import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--beta", type=float, default=0.1)
args = parser.parse_args([])


class VAE(nn.Module):
    def __init__(self, d=20, z=3):
        super().__init__()
        self.enc = nn.Linear(d, 16)
        self.mu = nn.Linear(16, z)
        self.logvar = nn.Linear(16, z)
        self.dec = nn.Sequential(nn.Linear(z, 16), nn.ReLU(), nn.Linear(16, d))

    def forward(self, x):
        h = torch.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        return self.dec(z), mu, logvar


torch.manual_seed(0)
model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
data = torch.rand(96, 20)
for epoch in range(args.epochs):
    for i in range(0, 96, 32):
        x = data[i : i + 32]
        recon, mu, logvar = model(x)
        rec = nn.functional.mse_loss(recon, x)
        kl = -0.5 * torch.mean(1 + logvar - mu**2 - logvar.exp())
        loss = rec + args.beta * kl
        opt.zero_grad()  #+
        loss.backward()  #!
        opt.step()  #!
