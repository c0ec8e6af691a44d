import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(25):
    x = torch.randn(32, 3)
    y = x.sum(1)
    mu, var = net(x).unbind(1)
    var = torch.nn.functional.softplus(var) + 1e-3  #+
    nll = 0.5 * (torch.log(var) + (y - mu) ** 2 / var)  #!
    loss = nll.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
