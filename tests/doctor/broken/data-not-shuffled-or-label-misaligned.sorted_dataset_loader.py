import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Folders(Dataset):
    """one folder per class, one after the other"""

    def __init__(self):
        torch.manual_seed(0)
        self.x = torch.cat([torch.randn(60, 6) + c for c in range(4)])
        self.y = torch.arange(4).repeat_interleave(60)

    def __len__(self):
        return 240

    def __getitem__(self, i):
        return self.x[i], self.y[i]


loader = DataLoader(Folders(), batch_size=20)  #-!
loader = DataLoader(Folders(), batch_size=20, shuffle=True)  #+
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(5):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
