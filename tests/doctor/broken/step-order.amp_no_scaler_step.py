import torch
from torch import nn

torch.manual_seed(0)
m = nn.Linear(6, 2)
opt = torch.optim.SGD(m.parameters(), 0.1)
for epoch in range(3):
    for i in range(6):
        x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
        loss = nn.functional.cross_entropy(m(x), y)
        loss.backward()
        opt.zero_grad()  #-!
        opt.step()
        opt.zero_grad()  #+
