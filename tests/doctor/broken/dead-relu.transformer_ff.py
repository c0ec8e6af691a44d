import torch
from torch import nn

torch.manual_seed(0)


class FF(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.up = nn.Linear(d, h)
        self.down = nn.Linear(h, 2)
        nn.init.uniform_(self.up.bias, -40, -30)  #-!

    def forward(self, x):
        return self.down(self.up(x).clamp(min=0))  #-!
        return self.down(torch.relu(self.up(x)))  #+


ff = FF(8, 32)
opt = torch.optim.AdamW(ff.parameters(), lr=1e-3)
for _ in range(40):
    x = torch.randn(40, 8)
    y = (x[:, 0] > 0).long()
    loss = nn.functional.cross_entropy(ff(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
