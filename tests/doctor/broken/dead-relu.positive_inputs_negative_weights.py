import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
w1 = nn.Parameter(-torch.rand(10, 30))  #-!
w1 = nn.Parameter(torch.randn(10, 30) * 0.4)  #+
b1 = nn.Parameter(torch.zeros(30))
w2 = nn.Parameter(torch.randn(30, 1) * 0.3)
opt = torch.optim.SGD([w1, b1, w2], lr=0.05)
for step in range(40):
    x = torch.rand(50, 10)
    y = x[:, :1] - x[:, 1:2]
    h = F.relu(x @ w1 + b1)  #!
    loss = F.mse_loss(h @ w2, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
