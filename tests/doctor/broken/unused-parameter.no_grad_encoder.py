import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(12, 6), nn.Tanh())
        self.dec = nn.Linear(6, 12)

    def encode(self, x):
        with torch.no_grad():  #-!
            return self.enc(x)  #-!
        return self.enc(x)  #+

    def forward(self, x):
        return self.dec(self.encode(x))


torch.manual_seed(0)
model = Autoencoder()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for i in range(15):
    x = torch.randn(32, 12)
    loss = nn.functional.mse_loss(model(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
