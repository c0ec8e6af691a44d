import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = nn.MSELoss()
for epoch in range(15):
    losses = []
    for k in range(4):
        x = torch.randn(8, 3)
        losses.append(crit(net(x), x.sum(1, keepdim=True)))
    loss = torch.tensor(losses, requires_grad=True).mean()  #-!
    loss = torch.stack(losses).mean()  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
