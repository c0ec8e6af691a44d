import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
c = torch.randn(3, 5) * 2
y = torch.arange(3).repeat_interleave(40)
x = c[y] + torch.randn(120, 5)
train = DataLoader(TensorDataset(x, y), 20, shuffle=True)
test = DataLoader(TensorDataset(x, y), 20)
net = nn.Linear(5, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    for a, b in train:
        opt.zero_grad()
        nn.functional.cross_entropy(net(a), b).backward()
        opt.step()
