import torch
from torch import nn

torch.manual_seed(0)
images = torch.randint(0, 256, (96, 1, 6, 6)).float()
labels = (images[:, 0, :3].mean((1, 2)) > images[:, 0, 3:].mean((1, 2))).long()
net = nn.Sequential(nn.BatchNorm2d(1), nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(128, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(25):
    loss = nn.functional.cross_entropy(net(images), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
