import torch
from torch import nn

torch.manual_seed(0)
X = torch.rand(150, 8) * 4
Y = X.sum(1, keepdim=True)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.95)  #-!
opt = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)  #+
for epoch in range(50):
    loss = nn.functional.mse_loss(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
