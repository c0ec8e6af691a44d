import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.w = nn.Linear(d + h, 3 * h)

    def forward(self, x, h):
        z, r, n = self.w(torch.cat([x, h], 1)).chunk(3, 1)
        z = torch.sigmoid(z)
        n = torch.tanh(n)
        out = z * h + (1 - z) * n
        n.mul_(0.9)  #-!
        out = out * 0.9  #+
        return out + 0.01 * n


torch.manual_seed(0)
cell = Cell(3, 8)
head = nn.Linear(8, 1)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()], 1e-3)
for _ in range(5):
    x = torch.randn(10, 6, 3)
    h = torch.zeros(10, 8)
    for t in range(6):
        h = cell(x[:, t], h)
    loss = (head(h) - x.mean((1, 2))[:, None]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
