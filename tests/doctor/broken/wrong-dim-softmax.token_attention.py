import torch
import torch.nn as nn
import torch.nn.functional as F


class AttnPool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)
        self.cls = nn.Linear(d, 3)

    def forward(self, x):
        a = F.softmax(self.score(x), dim=0)  #-!
        a = F.softmax(self.score(x), dim=1)  #+
        return self.cls((a * x).sum(1))


torch.manual_seed(0)
net = AttnPool(12)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for _ in range(30):
    x = torch.randn(20, 7, 12)
    y = x.mean(1)[:, :3].argmax(1)
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()
