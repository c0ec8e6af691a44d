import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
sqm = torch.rand(256) * 250 + 20
year = torch.randint(1900, 2024, (256,)).float()
zipcode = torch.randint(10000, 99999, (256,)).float()
X = torch.stack([sqm, year, zipcode], 1)
X = (X - X.mean(0)) / X.std(0)  #+
y = (sqm / 100 + (year - 1960) / 100).unsqueeze(1)
net = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(8):
    for xb, yb in DataLoader(TensorDataset(X, y), 32, shuffle=True):
        loss = nn.functional.mse_loss(net(xb), yb)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
