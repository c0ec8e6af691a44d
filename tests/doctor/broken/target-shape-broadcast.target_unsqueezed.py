import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.Flatten(0))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
data = torch.randn(100, 4)
labels = data.sum(1).reshape(-1, 1)  #-
labels = data.sum(1)  #+
def rmse(a, b):
    return torch.sqrt(((a - b) ** 2).mean())  #!
for ep in range(30):
    out = net(data)
    loss = rmse(out, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
