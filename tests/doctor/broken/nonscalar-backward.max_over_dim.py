import torch
from torch import nn


class HardNegative(nn.Module):
    def forward(self, a, p, n):
        dp = (a - p).norm(dim=1)
        dn = torch.cdist(a, n).min(1).values
        return torch.relu(dp - dn + 0.5)  #-!
        return torch.relu(dp - dn + 0.5).mean()  #+


torch.manual_seed(0)
enc = nn.Linear(6, 4)
opt = torch.optim.SGD(enc.parameters(), lr=0.05)
loss_fn = HardNegative()
for _ in range(10):
    base = torch.randn(20, 6)
    loss = loss_fn(enc(base), enc(base + 0.1 * torch.randn(20, 6)), enc(torch.randn(20, 6)))  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
