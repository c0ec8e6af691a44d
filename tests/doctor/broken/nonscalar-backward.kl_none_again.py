import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
s, t = nn.Linear(6, 4), nn.Linear(6, 4)
opt = torch.optim.SGD(s.parameters(), lr=0.1)
for _ in range(5):
    x = torch.randn(12, 6)
    loss = F.kl_div(F.log_softmax(s(x), 1), F.softmax(t(x), 1).detach(), reduction="none")  #-!
    loss = F.kl_div(F.log_softmax(s(x), 1), F.softmax(t(x), 1).detach(), reduction="batchmean")  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
