import numpy as np
import torch
from torch import nn


class HybridNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(9, 12), nn.ReLU())
        self.decoder = nn.Linear(12, 2)

    def forward(self, x):
        z = self.encoder(x)
        z = torch.from_numpy(np.log1p(np.abs(z.detach().numpy())))  #-!
        z = torch.log1p(z.abs())  #+
        return self.decoder(z)


torch.manual_seed(0)
net = HybridNet()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(150, 9)
y = (x[:, :4].sum(1) > 0).long()
for epoch in range(25):
    opt.zero_grad()
    loss = nn.CrossEntropyLoss()(net(x), y)
    loss.backward()
    opt.step()
