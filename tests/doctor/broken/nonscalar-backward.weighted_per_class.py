import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 4)
w = torch.tensor([1.0, 2.0, 1.0, 0.5])
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(40, 6)
y = (torch.rand(40, 4) > 0.5).float()
for _ in range(10):
    per = nn.functional.binary_cross_entropy_with_logits(net(x), y, reduction="none")  #!
    loss = (per * w).sum(0)  #-!
    loss = (per * w).mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
