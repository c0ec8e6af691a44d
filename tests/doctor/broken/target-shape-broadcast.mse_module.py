import torch, torch.nn as nn
torch.manual_seed(0)
class Reg(nn.Module):
    def __init__(self): super().__init__(); self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    def forward(self, x): return self.net(x)
m = Reg(); opt = torch.optim.Adam(m.parameters(), 1e-2); crit = nn.L1Loss()
X = torch.randn(90, 4); y = X[:, 0] * 3
for e in range(20):
    loss = crit(m(X), y)  #-!
    loss = crit(m(X).flatten(), y)  #+
    opt.zero_grad(); loss.backward(); opt.step()
