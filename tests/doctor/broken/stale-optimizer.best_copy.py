import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)  #!
best = copy.deepcopy(net)
best_loss = float("inf")
for epoch in range(20):
    x = torch.randn(16, 3)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if loss.item() < best_loss:
        best_loss, best = loss.item(), copy.deepcopy(net)
    if epoch == 6:
        net = copy.deepcopy(best)  #-!
        net.load_state_dict(best.state_dict())  #+
