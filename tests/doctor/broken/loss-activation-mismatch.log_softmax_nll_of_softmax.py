import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


def forward(params, x):
    w1, b1, w2, b2 = params
    h = torch.relu(x @ w1 + b1)
    return F.softmax(h @ w2 + b2, dim=1)  #-!
    return F.log_softmax(h @ w2 + b2, dim=1)  #+


params = [torch.randn(8, 16) * 0.3, torch.zeros(16), torch.randn(16, 4) * 0.3, torch.zeros(4)]
for p in params:
    p.requires_grad_()
opt = torch.optim.SGD(params, lr=0.1)
x = torch.randn(90, 8)
y = x[:, :4].argmax(1)
for step in range(15):
    loss = F.nll_loss(forward(params, x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
