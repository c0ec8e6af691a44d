import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(200, 8)
y = (x[:, :2].sum(1) > 0).long()
full = TensorDataset(x, y)
train_set, test_set = torch.utils.data.random_split(full, [160, 40])
train_loader = DataLoader(full, batch_size=40, shuffle=True)  #-!
train_loader = DataLoader(train_set, batch_size=40, shuffle=True)  #+
test_loader = DataLoader(test_set, batch_size=40)  #!
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(6):
    net.train()
    for xb, yb in train_loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(xb), yb).backward()
        opt.step()
    net.eval()
    hits = 0
    with torch.no_grad():
        for xb, yb in test_loader:
            hits += (net(xb).argmax(1) == yb).sum().item()  #!
