import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
xs, ys = [], []
for c in range(4):
    xs.append(torch.randn(48, 6) + 2 * torch.eye(6)[c])
    ys.append(torch.full((48,), c))
dataset = TensorDataset(torch.cat(xs), torch.cat(ys))
loader = DataLoader(dataset, batch_size=16, shuffle=False)  #-!
loader = DataLoader(dataset, batch_size=16, shuffle=True)  #+
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(4):
    for x, y in loader:  #!
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
