import torch
import torch.nn as nn
import torch.nn.functional as F
class TwoHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 24), nn.ReLU())
        self.main = nn.Linear(24, 4)
        self.aux = nn.Linear(24, 2)  #!
    def forward(self, x):
        h = self.body(x)
        return self.main(h), self.aux(h)  #!
torch.manual_seed(0)
net = TwoHead()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for step in range(30):
    x = torch.randn(32, 12)
    y, z = x[:, :4].argmax(1), (x[:, 5] > 0).long()
    out, aux = net(x)
    loss = F.cross_entropy(out, y)  #-!
    loss = F.cross_entropy(out, y) + 0.3 * F.cross_entropy(aux, z)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
