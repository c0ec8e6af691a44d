import torch
import torch.nn as nn
class Res(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))
        nn.init.normal_(self.f[0].weight, std=0.6)  #-!
        nn.init.normal_(self.f[2].weight, std=0.6)  #-!
        nn.init.zeros_(self.f[2].weight)  #+
    def forward(self, x): return x + self.f(x)
torch.manual_seed(0)
net = nn.Sequential(*[Res(24) for _ in range(10)], nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for i in range(20):
    x = torch.randn(16, 24)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
