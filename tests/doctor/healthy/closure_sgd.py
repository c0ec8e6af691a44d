import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Softplus(), nn.Linear(8, 1)); opt = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(60, 3); y = x.abs().sum(1, keepdim=True)
for _ in range(50):
    def closure():
        opt.zero_grad()
        l = nn.functional.mse_loss(net(x), y)
        l.backward()
        return l
    opt.step(closure)
