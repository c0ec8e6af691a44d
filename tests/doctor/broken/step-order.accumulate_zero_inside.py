import torch
import torch.nn as nn
torch.manual_seed(0)
m = nn.Linear(5, 2)
o = torch.optim.SGD(m.parameters(), lr=0.1)
for i in range(30):
    x = torch.randn(16, 5)
    y = (x[:, 0] > 0).long()
    out = m(x)
    l = nn.functional.cross_entropy(out, y)
    l.backward()
    m.zero_grad()  #-!
    o.step()
    m.zero_grad()  #+
