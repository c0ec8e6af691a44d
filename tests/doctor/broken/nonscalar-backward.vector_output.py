import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(5, 4)
y = torch.randn(5, 2)
loss = (net(x) - y) ** 2  #-!
loss = ((net(x) - y) ** 2).sum()  #+
opt.zero_grad()
loss.backward()  #-!
loss.backward()  #+
opt.step()
