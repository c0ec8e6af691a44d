import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(30):
    x = torch.randn(16, 5)
    y = (x[:, 0] > 0).long()
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()  #!
    opt.step()  #+
