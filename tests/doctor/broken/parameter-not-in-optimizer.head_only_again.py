import torch
import torch.nn as nn
torch.manual_seed(0)
class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
    def forward(self, x): return self.net(x)
class Clf(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(8, 3)
    def forward(self, z): return self.l(z)
enc, clf = Enc(), Clf()
optimizer = torch.optim.Adam(clf.parameters(), lr=1e-2)  #-!
optimizer = torch.optim.Adam(list(enc.parameters()) + list(clf.parameters()), lr=1e-2)  #+
for step in range(40):
    x = torch.randn(64, 10)
    y = (x[:, 0] + x[:, 1] ** 2 > 1).long()
    loss = nn.functional.cross_entropy(clf(enc(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
