import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential()
net.add_module("feat", nn.Linear(10, 20))
net.add_module("act", nn.ReLU())
net.add_module("head", nn.Linear(20, 3))
params = [p for n, p in net.named_parameters() if "head" in n]  #-
params = [p for n, p in net.named_parameters()]  #+
opt = torch.optim.SGD(params, lr=0.1)  #!
for i in range(30):
    x = torch.randn(32, 10)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    net.zero_grad()
    loss.backward()
    opt.step()
