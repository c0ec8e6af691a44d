import torch
from torch import nn

torch.manual_seed(0)


class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(20, 10), nn.Tanh())  #!
        self.dec = nn.Linear(10, 20)
        for p in self.enc.parameters():  #-
            p.data *= 100  #-!

    def forward(self, x):
        return self.dec(self.enc(x))


model = AE()
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
for epoch in range(60):
    x = torch.randn(64, 4) @ torch.ones(4, 20) * 0.5 + torch.randn(64, 20)
    x = torch.randn(64, 2).repeat(1, 10)  #+
    loss = nn.functional.mse_loss(model(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
