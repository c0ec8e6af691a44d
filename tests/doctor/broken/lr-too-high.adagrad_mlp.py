import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adagrad(net.parameters(), lr=3.0)  #-!
opt = torch.optim.Adagrad(net.parameters(), lr=0.01)  #+
x = torch.randn(128, 8)
y = x.sum(1, keepdim=True).tanh()
for _ in range(30):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
