import torch
from torch import nn

torch.manual_seed(0)
layers = []
act = nn.Sigmoid  #-!
act = nn.ReLU  #+
for i in range(10):
    layers += [nn.Linear(16, 16), act()]  #!
net = nn.Sequential(*layers, nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
if act is nn.ReLU:  #+
    for m in net:  #+
        if isinstance(m, nn.Linear):  #+
            nn.init.kaiming_normal_(m.weight)  #+
x = torch.randn(150, 16)
y = x[:, :3].argmax(1)
for epoch in range(60):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
