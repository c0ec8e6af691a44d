import torch
from torch import nn

torch.manual_seed(0)
dtype = torch.float16  #-!
dtype = torch.float32  #+
W1 = (torch.randn(10, 30) * 0.3).to(dtype).requires_grad_()  #!
W2 = (torch.randn(30, 1) * 0.3).to(dtype).requires_grad_()  #!
opt = torch.optim.SGD([W1, W2], lr=0.5)
for i in range(15):
    x = torch.randn(512, 10).to(dtype)
    y = torch.sigmoid(x[:, :1])
    out = torch.sigmoid(torch.tanh(x @ W1) @ W2)
    loss = ((out - y) ** 2).mean() * 2e-5
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
