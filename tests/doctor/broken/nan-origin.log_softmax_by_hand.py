import torch
from torch import nn


def log_softmax(z):
    return torch.log(torch.exp(z) / torch.exp(z).sum(1, keepdim=True))  #-!
    return z - torch.logsumexp(z, 1, keepdim=True)  #+


torch.manual_seed(0)
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(60, 4)
x[11] *= 100  #-
x[11] *= 3  #+
y = x[:, :3].argmax(1)
for _ in range(20):
    loss = nn.functional.nll_loss(log_softmax(net(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
