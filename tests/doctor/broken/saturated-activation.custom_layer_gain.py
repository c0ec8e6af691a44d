import torch
import torch.nn as nn
class Squash(nn.Module):
    def __init__(self, gain): super().__init__(); self.gain = gain
    def forward(self, x): return torch.sigmoid(self.gain * x)  #!
torch.manual_seed(0)
g = 100.0  #-
g = 1.0  #+
net = nn.Sequential(nn.Linear(10, 32), Squash(g), nn.Linear(32, 32), Squash(g), nn.Linear(32, 2))  #!
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(40):
    x = torch.randn(64, 10)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] * x[:, 1] > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
