import torch
from torch import nn

torch.manual_seed(0)


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 6), nn.ReLU(), nn.Linear(6, 3))
        self.decoder = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 12))

    def forward(self, x):
        z = self.encoder(x).detach()  #-!
        z = self.encoder(x)  #+
        return self.decoder(z)


ae = AutoEncoder()
optimizer = torch.optim.Adam(ae.parameters(), lr=1e-2)
data = torch.randn(128, 3) @ torch.randn(3, 12)
for epoch in range(6):
    for xb in data.split(32):
        loss = nn.functional.mse_loss(ae(xb), xb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
