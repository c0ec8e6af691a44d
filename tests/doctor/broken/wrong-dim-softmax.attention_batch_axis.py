import torch
import torch.nn as nn
torch.manual_seed(0)
class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)
        self.out = nn.Linear(d, 2)
    def forward(self, x):          # B, T, d
        a = self.score(x)
        w = torch.softmax(a, dim=0)  #-!
        w = torch.softmax(a, dim=1)  #+
        return self.out((w * x).sum(1))
m = Attn(6)
o = torch.optim.Adam(m.parameters(), lr=1e-2)
for i in range(30):
    x = torch.randn(24, 9, 6)
    y = (x[:, :, 0].max(1).values > 1.5).long()
    loss = nn.functional.cross_entropy(m(x), y)
    o.zero_grad()
    loss.backward()
    o.step()
