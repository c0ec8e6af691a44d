import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(3, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(5):
    x = torch.randn(10, 3)
    err = (net(x) - x).abs()
    loss = err.mean(dim=1)  #-!
    loss = err.mean()  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
