import torch
from torch import nn

torch.manual_seed(0)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1 = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True))
        self.d2 = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(inplace=True))
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.out = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(nn.functional.max_pool2d(a, 2))
        return self.out(torch.cat([a, self.up(b)], 1))


m = UNet()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for _ in range(10):
    x = torch.randn(4, 1, 8, 8)
    loss = nn.functional.cross_entropy(m(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
