import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(6, 8)
        self.g = nn.Linear(6, 8)  #!

    def forward(self, a, b):
        za = self.f(a)
        zb = self.g(b).detach()  #-!
        zb = self.g(b)  #+
        return 1 - nn.functional.cosine_similarity(za, zb).mean()


torch.manual_seed(0)
m = Siamese()
opt = torch.optim.Adam(m.parameters(), 1e-3)
for _ in range(12):
    x = torch.randn(16, 6)
    loss = m(x, x + 0.1 * torch.randn(16, 6))
    opt.zero_grad()
    loss.backward()
    opt.step()
