import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-9)  #-!
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #+
X = torch.randn(200, 8)
Y = X[:, :3].argmax(1)
for e in range(60):
    loss = nn.functional.cross_entropy(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
