import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(6, 20), nn.Linear(20, 20), nn.Linear(20, 2)
        for l in (self.l1, self.l2, self.l3):
            nn.init.zeros_(l.weight)  #-!
            nn.init.xavier_uniform_(l.weight)  #+
            nn.init.zeros_(l.bias)

    def forward(self, x):
        return self.l3(torch.relu(self.l2(torch.relu(self.l1(x)))))


torch.manual_seed(0)
m = MLP()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
x = torch.randn(100, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
for _ in range(40):
    opt.zero_grad()
    nn.functional.cross_entropy(m(x), y).backward()
    opt.step()
