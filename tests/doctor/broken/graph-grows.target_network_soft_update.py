import copy
import torch
from torch import nn

torch.manual_seed(0)
q = nn.Linear(4, 2)
w_avg, b_avg = q.weight.detach().clone(), q.bias.detach().clone()
opt = torch.optim.SGD(q.parameters(), lr=0.05)
for step in range(20):
    s, s2 = torch.randn(16, 4), torch.randn(16, 4)
    target = s[:, 0] + 0.9 * (s2 @ w_avg.T + b_avg).max(1).values
    loss = (q(s)[:, 0] - target).pow(2).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
    w_avg = 0.9 * w_avg + 0.1 * q.weight  #-!
    b_avg = 0.9 * b_avg + 0.1 * q.bias  #-!
    w_avg = 0.9 * w_avg + 0.1 * q.weight.detach()  #+
    b_avg = 0.9 * b_avg + 0.1 * q.bias.detach()  #+
