import torch
from torch import nn
from torch.optim.lr_scheduler import PolynomialLR

torch.manual_seed(0)
m = nn.Linear(10, 3)
opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
sched = PolynomialLR(opt, total_iters=5, power=1.0)  #-!
sched = PolynomialLR(opt, total_iters=60, power=1.0)  #+
for it in range(60):
    x = torch.randn(24, 10)
    loss = nn.functional.cross_entropy(m(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()  #!
