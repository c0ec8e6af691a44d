import torch
from torch import nn


def init(net):
    for name, p in net.named_parameters():
        if "weight" in name:
            nn.init.uniform_(p, -20, 20)  #-!
            nn.init.xavier_uniform_(p)  #+
        else:
            nn.init.zeros_(p)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 4))
init(net)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(60):
    x = torch.randn(64, 10)
    loss = nn.functional.cross_entropy(net(x), x[:, :4].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
