import math
import torch
import torch.nn as nn
class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.o = nn.Linear(d, d)
    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        att = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
        att = att.softmax(dim=0)  #-!
        att = att.softmax(dim=-1)  #+
        return self.o(att @ v)
torch.manual_seed(0)
net = nn.Sequential(SelfAttention(8), nn.Flatten(), nn.Linear(48, 2))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for i in range(30):
    x = torch.randn(20, 6, 8)
    y = (x[:, 0, 0] > 0).long()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
