import torch
import torch.nn as nn
torch.manual_seed(0)
def block(i, o): return nn.Sequential(nn.Linear(i, o), nn.Sigmoid())  #-!
def block(i, o): return nn.Sequential(nn.Linear(i, o), nn.BatchNorm1d(o), nn.ReLU())  #+
net = nn.Sequential(nn.Flatten(), block(64, 50), block(50, 50), block(50, 50), block(50, 50),
                    block(50, 50), block(50, 50), block(50, 50), nn.Linear(50, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
X = torch.rand(200, 1, 8, 8)
Y = (X[:, 0, :4].mean((1, 2)) > 0.5).long() * 2 + (X[:, 0, 4:].mean((1, 2)) > 0.5).long()
for epoch in range(15):
    for i in range(0, 200, 50):
        loss = nn.functional.cross_entropy(net(X[i:i + 50]), Y[i:i + 50])
        opt.zero_grad()
        loss.backward()
        opt.step()
