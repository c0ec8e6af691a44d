import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
income = torch.rand(200, 1) * 100_000
age = torch.rand(200, 1) * 80
score = torch.randn(200, 1)
X = torch.cat([income, age, score], 1)  #!
Y = (score[:, 0] + (age[:, 0] - 40) / 40 > 0).long()
X = (X - X.mean(0)) / X.std(0)  #+
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(6):
    for x, y in DataLoader(TensorDataset(X, Y), batch_size=20, shuffle=True):
        out = net(x)  #!
        loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
