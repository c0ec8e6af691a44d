import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class InfoNCE(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_t = nn.Parameter(torch.tensor(0.0))  #!

    def forward(self, a, b):
        sim = F.normalize(a, dim=1) @ F.normalize(b, dim=1).t() * self.log_t.exp()
        return F.cross_entropy(sim, torch.arange(len(a)))


enc = nn.Linear(6, 8)
criterion = InfoNCE()
opt = torch.optim.Adam(enc.parameters(), lr=1e-2)  #-!
opt = torch.optim.Adam([*enc.parameters(), *criterion.parameters()], lr=1e-2)  #+
for _ in range(20):
    x = torch.randn(16, 6)
    loss = criterion(enc(x), enc(x + 0.1 * torch.randn(16, 6)))
    opt.zero_grad()
    loss.backward()
    opt.step()
