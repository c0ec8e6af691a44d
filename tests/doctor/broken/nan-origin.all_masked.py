import torch
from torch import nn


class MaskedAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qk = nn.Linear(d, 2 * d)

    def forward(self, x, mask):
        q, k = self.qk(x).chunk(2, -1)
        s = q @ k.transpose(1, 2)
        s = s.masked_fill(mask[:, None, :], float("-inf"))  #-!
        s = s.masked_fill(mask[:, None, :], -1e9)  #+
        return s.softmax(-1) @ x  #!


torch.manual_seed(0)
att, out = MaskedAttention(4), nn.Linear(4, 1)
opt = torch.optim.Adam([*att.parameters(), *out.parameters()], lr=1e-3)
for _ in range(6):
    x = torch.randn(5, 6, 4)
    lengths = torch.tensor([6, 3, 0, 2, 5])
    mask = torch.arange(6)[None] >= lengths[:, None]
    loss = out(att(x, mask)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
