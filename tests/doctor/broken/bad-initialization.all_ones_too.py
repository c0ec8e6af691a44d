import torch
from torch import nn

torch.manual_seed(0)
w1 = torch.full((4, 12), 0.1, requires_grad=True)  #-!
w1 = (torch.randn(4, 12) * 0.5).requires_grad_()  #+
w2 = torch.full((12, 1), 0.1, requires_grad=True)  #-!
w2 = (torch.randn(12, 1) * 0.3).requires_grad_()  #+
opt = torch.optim.SGD([w1, w2], lr=0.05)
x = torch.randn(200, 4)
y = (x[:, :1] * x[:, 1:2])
for i in range(60):
    loss = ((torch.tanh(x @ w1) @ w2 - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
