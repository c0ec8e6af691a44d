import torch
from torch import nn

class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(12, 4)
        self.dec = nn.Linear(4, 12)

    def encode(self, x):
        return self.enc(x).detach()  #-!
        return self.enc(x)  #+

    def forward(self, x):
        return self.dec(self.encode(x))

torch.manual_seed(0)
m = VQ()
o = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(40):
    x = torch.randn(32, 12)
    l = nn.functional.mse_loss(m(x), x)
    o.zero_grad(); l.backward(); o.step()
