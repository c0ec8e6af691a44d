import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(256, 6)
loader = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=32, shuffle=True)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = nn.CrossEntropyLoss()
for epoch in range(5):
    for xb, yb in loader:
        loss = crit(net(xb), yb) / len(xb)  #-!
        loss = crit(net(xb), yb)  #+
        opt.zero_grad()
        loss.backward()
        opt.step()
