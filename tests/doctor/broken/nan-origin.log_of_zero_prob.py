import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(64, 4)
x[3] = x[3] * 400
y = (x[:, 0] > 0).long()
y[3] = 1 - y[3]
for i in range(20):
    p = torch.softmax(model(x) * 10, 1)
    picked = p[torch.arange(64), y]
    loss = -torch.log(picked).mean()  #-!
    loss = -torch.log(picked.clamp_min(1e-6)).mean()  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
