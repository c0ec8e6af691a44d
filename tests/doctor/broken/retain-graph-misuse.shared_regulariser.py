import torch
import torch.nn as nn
torch.manual_seed(0)
w = nn.Parameter(torch.randn(5, 1))
opt = torch.optim.SGD([w], lr=0.01)
reg = 0.1 * (w ** 2).sum()  #-
for i in range(10):
    reg = 0.1 * (w ** 2).sum()  #+
    x = torch.randn(20, 5)
    y = x.sum(1, keepdim=True)
    loss = ((x @ w - y) ** 2).mean() + reg
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
