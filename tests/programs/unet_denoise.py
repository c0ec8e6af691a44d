"""A small U-Net that removes noise: skip connections, up-sampling, group norm, PixelShuffle."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU(inplace=True)
    )


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inc = block(1, 8)
        self.down = nn.ModuleList([block(8, 16), block(16, 16)])
        self.pool = nn.MaxPool2d(2)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.up1 = block(32, 8)
        self.shuffle = nn.Sequential(nn.Conv2d(8, 32, 1), nn.PixelShuffle(2))
        self.up2 = block(16, 8)
        self.outc = nn.Conv2d(8, 1, kernel_size=1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down[0](self.pool(x1))
        x3 = self.down[1](self.pool(x2))
        x = self.up1(torch.cat([x2, self.up(x3)], dim=1))
        x = self.up2(torch.cat([x1, self.shuffle(x)], dim=1))
        return self.outc(x)


torch.manual_seed(0)
net = UNet()
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
coordinates = torch.linspace(-1, 1, 16)
for step in range(25):
    a = torch.rand(8, 2, 1, 1) * 4 - 2
    clean = torch.sin(a[:, :1] * coordinates[None, :, None] * 3 + a[:, 1:] * coordinates * 3).view(
        8, 1, 16, 16
    )
    noisy = clean + 0.5 * torch.randn_like(clean)
    loss = F.smooth_l1_loss(net(noisy), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 0:
        print(f"step {step} loss {loss.item():.5f}")
small = F.interpolate(clean, size=(4, 4), mode="area")
print(
    "downsampled",
    tuple(small.shape),
    "padded",
    tuple(F.pad(small, (1, 1, 2, 2), mode="reflect").shape),
)
