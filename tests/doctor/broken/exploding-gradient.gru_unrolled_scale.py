import torch
import torch.nn as nn
torch.manual_seed(0)
class Dyn(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(8, 8)
        nn.init.orthogonal_(self.f.weight, gain=3.0)  #-!
        nn.init.orthogonal_(self.f.weight, gain=0.9)  #+
    def forward(self, x):
        for _ in range(20):
            x = self.f(x)  #!
        return x
net = Dyn()
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
for i in range(20):
    x = torch.randn(16, 8)
    loss = (net(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
