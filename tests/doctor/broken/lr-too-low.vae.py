import torch
from torch import nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(16, 32)
        self.mu, self.lv = nn.Linear(32, 4), nn.Linear(32, 4)
        self.dec = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, x):
        h = torch.relu(self.enc(x))
        mu, lv = self.mu(h), self.lv(h)
        z = mu + torch.randn_like(mu) * torch.exp(lv / 2)
        return self.dec(z), mu, lv


vae = VAE()
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-10)  #-!
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-2)  #+
data = torch.randn(256, 3) @ torch.randn(3, 16) * 2
for epoch in range(8):
    for xb in data.split(32):
        rec, mu, lv = vae(xb)
        kl = -0.5 * (1 + lv - mu.pow(2) - lv.exp()).sum(1).mean()
        loss = nn.functional.mse_loss(rec, xb) + 0.01 * kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
