import torch
from torch import nn

torch.manual_seed(0)
dtype = torch.float16  #-!
dtype = torch.float32  #+
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(dtype)  #!
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(400, 8)
y = 0.5 * x[:, :1]
for _ in range(30):
    loss = (net(x.to(dtype)) - y.to(dtype)).pow(2).mean() * 1e-6  #-!
    loss = (net(x.to(dtype)) - y.to(dtype)).pow(2).mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
