import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 60), nn.ReLU(), nn.Linear(60, 6))
for m in net:
    if isinstance(m, nn.Linear):
        m.weight.data.normal_(0, 10)  #-!
        m.weight.data.normal_(0, 0.15)  #+
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.randn(240, 30)
y = x[:, :6].argmax(1)
for epoch in range(30):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
