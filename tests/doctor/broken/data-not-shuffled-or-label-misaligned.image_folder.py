import torch
from torch import nn
from torch.utils.data import DataLoader, ConcatDataset, TensorDataset

torch.manual_seed(0)
parts = []
for c in range(4):
    img = torch.randn(64, 1, 6, 6) + c * 0.3
    parts.append(TensorDataset(img, torch.full((64,), c)))
train = ConcatDataset(parts)
loader = DataLoader(train, batch_size=16)  #-!
loader = DataLoader(train, batch_size=16, shuffle=True)  #+
net = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(96, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(4):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
