import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
data = torch.randn(60, 4)
labels = data[:, :3].argmax(1)
for step in range(30):
    batch = data[0].expand(60, 4)  #-
    batch = data  #+
    loss = nn.functional.cross_entropy(net(batch), labels)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
