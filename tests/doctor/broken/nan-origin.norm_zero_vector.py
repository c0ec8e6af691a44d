import torch
import torch.nn as nn
class Cos(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(5, 4, bias=False)
    def forward(self, x):
        z = self.l(x)
        return z / z.norm(dim=1, keepdim=True)  #-!
        return z / (z.norm(dim=1, keepdim=True) + 1e-6)  #+
torch.manual_seed(0)
m = Cos()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for i in range(20):
    x = torch.randn(16, 5)
    x[3] = 0
    out = m(x)
    loss = (1 - out @ torch.ones(4) / 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
