import torch
from torch import nn

torch.manual_seed(0)
W = torch.eye(16) * 1.6 + 0.1 * torch.randn(16, 16)  #!
W = torch.eye(16) * 0.9 + 0.02 * torch.randn(16, 16)  #+
W.requires_grad_()
U = (0.3 * torch.randn(3, 16)).requires_grad_()
V = (0.3 * torch.randn(16, 1)).requires_grad_()
opt = torch.optim.SGD([W, U, V], lr=1e-3)
for it in range(20):
    x = torch.randn(8, 30, 3)
    h = torch.zeros(8, 16)
    for t in range(30):
        h = h @ W + x[:, t] @ U  #-!
        h = torch.tanh(h @ W + x[:, t] @ U)  #+
    loss = ((h @ V).squeeze(1) - x.mean((1, 2))).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #!
    opt.step()  #!
