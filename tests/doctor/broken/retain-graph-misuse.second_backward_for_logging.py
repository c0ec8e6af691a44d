import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(10, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(30, 10), torch.randint(0, 2, (30,))
for i in range(10):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    loss.backward()  #-!
