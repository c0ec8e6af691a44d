import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 12),
    nn.Tanh(),
    nn.Hardtanh(inplace=True),  #-!
    nn.Linear(12, 1),
)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(5):
    x = torch.randn(8, 6)
    loss = net(x).mul(2).tanh_().mean() if False else net(x).pow(2).mean()  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
