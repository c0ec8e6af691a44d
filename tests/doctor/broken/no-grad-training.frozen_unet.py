import torch
import torch.nn as nn
import torch.nn.functional as F


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1 = nn.Conv2d(1, 8, 3, padding=1)
        self.d2 = nn.Conv2d(8, 16, 3, padding=1, stride=2)
        self.u1 = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.out = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        a = F.relu(self.d1(x))
        b = F.relu(self.d2(a))
        return self.out(torch.cat([a, self.u1(b)], 1))


def freeze(module):
    for p in module.parameters():
        p.requires_grad = False  #!


torch.manual_seed(0)
net = UNet()
freeze(net)  #-!
freeze(net.d1)  #+
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(15):
    img = torch.rand(4, 1, 8, 8)
    mask = (img[:, 0] > 0.5).long()
    opt.zero_grad()
    loss = F.cross_entropy(net(img), mask)
    loss.backward()  #!
    opt.step()
