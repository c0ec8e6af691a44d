import torch
import torch.nn as nn
class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(10, 8)
    def forward(self, x):
        z = self.lin(x).exp()
        z /= z.sum(1, keepdim=True)  #-!
        z = z / z.sum(1, keepdim=True)  #+
        return z
torch.manual_seed(0)
m = Embedder()
o = torch.optim.Adam(m.parameters())
for _ in range(6):
    x = torch.randn(12, 10)
    l = -(m(x) * m(x).log()).sum(1).mean()
    o.zero_grad(); l.backward(); o.step()
