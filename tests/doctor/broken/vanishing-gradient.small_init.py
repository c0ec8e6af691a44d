import torch
from torch import nn

torch.manual_seed(0)
layers = []
for i in range(8):
    lin = nn.Linear(20, 20)
    nn.init.uniform_(lin.weight, -0.05, 0.05)  #-!
    nn.init.xavier_uniform_(lin.weight)  #+
    layers += [lin, nn.Tanh()]  #!
net = nn.Sequential(*layers, nn.Linear(20, 1))  #!
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(50):
    x = torch.randn(64, 20)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
