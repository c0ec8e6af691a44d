import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.fc = nn.Linear(24, 2)

    def forward(self, x):
        return self.fc(self.features(x))


torch.manual_seed(0)
net = Backbone()
net.fc = nn.Linear(24, 4)  #-
for p in net.parameters():
    p.requires_grad = False  #-!
    p.requires_grad = False  #+
net.fc = nn.Linear(24, 4)  #+
optimizer = torch.optim.SGD(net.fc.parameters(), lr=0.5)
imgs = torch.randn(64, 1, 8, 8)
labels = (imgs.mean((1, 2, 3)) > 0).long() + 2 * (imgs[:, 0, :4].mean((1, 2)) > 0).long()
for it in range(20):
    loss = nn.functional.cross_entropy(net(imgs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
