import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())  #-!
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))  #+
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
X = torch.rand(200, 3)
price = 10 + 20 * X.sum(1, keepdim=True)
for e in range(60):
    pred = net(X)
    loss = ((pred - price) ** 2).mean()  #-!
    loss = ((pred - price) ** 2).mean()  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
