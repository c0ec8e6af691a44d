import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
W1 = (torch.randn(16, 1, 3, 3) * 0.3).requires_grad_()
b1 = torch.full((16,), -6.0, requires_grad=True)  #-!
b1 = torch.zeros(16, requires_grad=True)  #+
W2 = (torch.randn(2, 16 * 36) * 0.05).requires_grad_()
opt = torch.optim.SGD([W1, b1, W2], lr=0.01)
for i in range(40):
    x = torch.randn(32, 1, 8, 8)
    y = (x.mean((1, 2, 3)) > 0).long()
    h = F.relu(F.conv2d(x, W1, b1))  #-!
    h = F.relu(F.conv2d(x, W1, b1))  #+
    loss = F.cross_entropy(h.flatten(1) @ W2.t(), y)
    opt.zero_grad(); loss.backward(); opt.step()
