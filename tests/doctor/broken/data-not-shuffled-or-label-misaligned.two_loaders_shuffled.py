import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
features = torch.randn(160, 5)
targets = features.sum(1, keepdim=True)
pairs = list(zip(features, targets))  #+
x_loader = DataLoader(features, batch_size=20, shuffle=True)  #-!
y_loader = DataLoader(targets, batch_size=20, shuffle=True)  #-!
loader = DataLoader(pairs, batch_size=20, shuffle=True)  #+
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(5):
    for xb, yb in zip(x_loader, y_loader):  #-!
    for xb, yb in loader:  #+
        loss = nn.functional.mse_loss(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
