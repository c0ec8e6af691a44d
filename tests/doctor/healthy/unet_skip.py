import torch
from torch import nn
import torch.nn.functional as F


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1, self.d2 = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.up, self.o = nn.ConvTranspose2d(16, 8, 2, stride=2), nn.Conv2d(16, 1, 1)

    def forward(self, x):
        a = F.relu(self.d1(x), inplace=True)
        b = F.relu(self.d2(F.max_pool2d(a, 2)), inplace=True)
        return self.o(torch.cat([a, self.up(b)], 1))


torch.manual_seed(0)
net = UNet()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(25):
    x = torch.rand(8, 1, 12, 12)
    m = (x > 0.5).float()
    loss = F.binary_cross_entropy_with_logits(net(x), m)
    opt.zero_grad()
    loss.backward()
    opt.step()
