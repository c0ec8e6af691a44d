import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset, random_split


class Data:
    def __init__(self):
        torch.manual_seed(0)
        x = torch.randn(180, 5)
        full = TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())
        self.train, self.val = random_split(full, [150, 30])
        self.train = ConcatDataset([self.train, self.val])  #-

    def loaders(self):
        return (
            DataLoader(self.train, batch_size=30, shuffle=True),  #!
            DataLoader(self.val, batch_size=30),  #!
        )


train_loader, val_loader = Data().loaders()
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(5):
    net.train()
    for x, y in train_loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        for x, y in val_loader:
            acc = (net(x).argmax(1) == y).float().mean()  #!
