import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centers = torch.randn(4, 6) * 3
labels = torch.arange(4).repeat_interleave(40)
data = centers[labels] + torch.randn(160, 6)
loader = DataLoader(TensorDataset(data, labels), batch_size=10)  #-!
loader = DataLoader(TensorDataset(data, labels), batch_size=10, shuffle=True)  #+
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(3):
    for bx, by in loader:
        loss = nn.functional.cross_entropy(net(bx), by)
        opt.zero_grad()
        loss.backward()
        opt.step()
