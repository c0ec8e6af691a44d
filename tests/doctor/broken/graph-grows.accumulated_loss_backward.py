import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(200, 5)
Y = X @ torch.randn(5, 1)
total_loss = 0
for i in range(20):
    xb, yb = X[i * 10:(i + 1) * 10], Y[i * 10:(i + 1) * 10]
    loss = nn.functional.mse_loss(net(xb), yb)
    total_loss = total_loss + loss  #-!
    total_loss = loss  #+
    opt.zero_grad()
    total_loss.backward(retain_graph=True)  #-
    total_loss.backward()  #+
    opt.step()
