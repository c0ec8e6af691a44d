import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=1))  #-!
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))  #+
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(300):
    x = torch.randn(16, 6)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
