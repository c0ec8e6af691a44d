import torch
from torch import nn

torch.manual_seed(0)
salary = torch.rand(200, 1) * 150000 + 20000
years = torch.rand(200, 1) * 30
y = (salary / 170000 + years / 30 > 1).long().squeeze(1)
X = torch.cat([salary, years], 1)
X = (X - X.mean(0)) / X.std(0)  #+
net = nn.Sequential(nn.Linear(2, 16), nn.Sigmoid(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(50):
    loss = nn.functional.cross_entropy(net(X), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
