import torch
import torch.nn as nn
torch.manual_seed(0)
pos, neg = torch.randn(200, 5) + 0.5, torch.randn(200, 5) - 0.5
X = torch.cat([pos, neg])
Y = torch.cat([torch.ones(200, 1), torch.zeros(200, 1)])
p = torch.randperm(400)  #+
X, Y = X[p], Y[p]  #+
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for ep in range(4):
    for i in range(0, 400, 20):
        xb, yb = X[i:i + 20], Y[i:i + 20]  #-!
        xb, yb = X[i:i + 20], Y[i:i + 20]  #+
        loss = nn.functional.binary_cross_entropy_with_logits(net(xb), yb)  #-!
        loss = nn.functional.binary_cross_entropy_with_logits(net(xb), yb)  #+
        opt.zero_grad()
        loss.backward()  #-!
        loss.backward()  #+
        opt.step()
