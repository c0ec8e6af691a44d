import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)  #-!
opt = torch.optim.Adam(net.parameters(), lr=1e-3)  #+
X = torch.randn(64, 4); y = (X[:, 0] > 0).long()
for epoch in range(40):
    if epoch == 15:
        net[2] = nn.Linear(16, 2)  #!
        opt = torch.optim.Adam(net.parameters(), lr=1e-3)  #+
    loss = nn.functional.cross_entropy(net(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
