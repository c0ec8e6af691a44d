import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1); w = torch.randn(1, 4)
with torch.no_grad(): net.weight.copy_(w + 1e-3 * torch.randn(1, 4)); net.bias.zero_()
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for _ in range(40):
    x = torch.randn(64, 4); loss = (net(x) - x @ w.T).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
