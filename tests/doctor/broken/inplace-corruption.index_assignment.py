import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.Tanh())
head = nn.Linear(16, 1)
opt = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-2)
for i in range(10):
    x = torch.randn(12, 3)
    feats = net(x)
    feats[:, 0] = 0  #-!
    feats = feats * torch.tensor([0.0] + [1.0] * 15)  #+
    loss = (head(feats) - x.sum(1, keepdim=True)).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
