import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(200, 6)
Y = (X[:, 0] > 0).long()
train_x, train_y = X[:180], Y[:180]  #-!
train_x, train_y = X[:150], Y[:150]  #+
test_x, test_y = X[150:], Y[150:]  #!
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(6):
    for i in range(0, len(train_x), 30):
        loss = nn.functional.cross_entropy(net(train_x[i : i + 30]), train_y[i : i + 30])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print((net(test_x).argmax(1) == test_y).float().mean().item())  #!
