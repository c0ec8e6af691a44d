import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 3))
opt = torch.optim.SGD(net.parameters(), lr=2.0, momentum=0.95)  #-!
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)  #+
X = torch.randn(150, 1, 8, 8)
Y = X.flatten(1)[:, :3].argmax(1)
for epoch in range(10):
    for i in range(0, 150, 30):
        loss = nn.functional.cross_entropy(net(X[i:i + 30]), Y[i:i + 30])
        opt.zero_grad()
        loss.backward()
        opt.step()
