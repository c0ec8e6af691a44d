import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.cross_entropy(self.net(x), y)
        loss.backward(retain_graph=True)  #-!
        loss.backward()  #+
        self.opt.step()
        return loss.item()


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
trainer = Trainer(net)
for _ in range(30):
    y = torch.randint(0, 2, (16,))
    x = torch.randn(16, 1, 8, 8) + y.view(-1, 1, 1, 1)
    trainer.step(x, y)
