#= cell
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 2))
#= cell
net.eval()  #!
net(torch.randn(3, 5)).shape
#= cell
net.train()  #+
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(25):
    x = torch.randn(16, 5)
    loss = nn.functional.cross_entropy(net(x), (x[:, 1] > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
