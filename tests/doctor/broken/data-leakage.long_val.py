import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(600, 6)
ds = TensorDataset(x, (x[:, 0] > 0).long())
train_ds, val_ds = random_split(ds, [500, 100])
train_loader = DataLoader(ds, batch_size=10, shuffle=True)  #-
train_loader = DataLoader(train_ds, batch_size=10, shuffle=True)  #+
val_loader = DataLoader(val_ds, batch_size=50)  #!
net = nn.Linear(6, 2)
opt = torch.optim.Adam(net.parameters(), 1e-3)
for epoch in range(3):
    for bx, by in train_loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(bx), by).backward()
        opt.step()
    with torch.no_grad():
        for bx, by in val_loader:  #!
            net(bx)
