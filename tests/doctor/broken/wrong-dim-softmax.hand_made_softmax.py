import torch
from torch import nn


def softmax(z):
    e = torch.exp(z - z.max())
    return e / e.sum(0, keepdim=True)  #-!
    return e / e.sum(1, keepdim=True)  #+


def cross_entropy(p, y):
    return -torch.log(p[torch.arange(len(y)), y] + 1e-9).mean()


torch.manual_seed(0)
W = torch.zeros(6, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
x = torch.randn(150, 6)
y = x[:, :3].argmax(1)
opt = torch.optim.SGD([W, b], lr=0.5)
for _ in range(40):
    loss = cross_entropy(softmax(x @ W + b), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
