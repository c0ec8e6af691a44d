import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(20):
    x = torch.randn(25, 4)
    y = (x[:, 0] > 0).float()
    p = torch.sigmoid(net(x))  #-
    p = torch.sigmoid(net(x))[:, 0]  #+
    loss = -(y * torch.log(p + 1e-7) + (1 - y) * torch.log(1 - p + 1e-7)).mean()  #!
    opt.zero_grad(); loss.backward(); opt.step()
