import torch
from torch import nn

torch.manual_seed(0)
age = torch.randint(18, 80, (300, 1)).float()
income = torch.rand(300, 1) * 100000
debt = torch.rand(300, 1) * 50000
X = torch.cat([age, income, debt], 1)
y = (income[:, 0] > 2 * debt[:, 0]).long()
X = (X - X.mean(0)) / X.std(0)  #+
net = nn.Sequential(nn.Linear(3, 16), nn.Sigmoid(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.5)
for epoch in range(60):
    loss = nn.functional.cross_entropy(net(X), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
