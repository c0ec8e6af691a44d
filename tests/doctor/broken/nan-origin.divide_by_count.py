import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(20):
    x = torch.randn(8, 6)
    mask = (torch.rand(8) > 0.5).float()
    if step == 7: mask = torch.zeros(8)
    per = (net(x) - x[:, :3]).pow(2).mean(1)
    loss = (per * mask).sum() / mask.sum()  #-!
    loss = (per * mask).sum() / mask.sum().clamp(min=1)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
