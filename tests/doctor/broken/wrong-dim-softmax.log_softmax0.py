import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(60, 7)
y = x[:, :3].argmax(1)
for _ in range(12):
    out = F.log_softmax(net(x), dim=0)  #-!
    out = F.log_softmax(net(x), dim=1)  #+
    loss = F.nll_loss(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
