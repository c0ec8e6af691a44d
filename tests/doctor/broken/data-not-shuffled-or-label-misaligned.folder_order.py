import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Folder(Dataset):
    """Files of class 0, then those of class 1, ..."""

    def __init__(self, per_class=64, classes=4):
        self.samples = [(c, k) for c in range(classes) for k in range(per_class)]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        c, k = self.samples[i]
        g = torch.Generator().manual_seed(k)
        return torch.randn(6, generator=g) + c, c


torch.manual_seed(0)
train_loader = DataLoader(Folder(), batch_size=16)  #-!
train_loader = DataLoader(Folder(), batch_size=16, shuffle=True)  #+
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for epoch in range(2):
    for x, y in train_loader:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
