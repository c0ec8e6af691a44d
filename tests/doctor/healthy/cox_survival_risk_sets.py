import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
X = torch.randn(60, 4)
T = torch.exp(-X[:, 0]) * torch.rand(60)
E = torch.rand(60) < 0.7
for i in range(40):
    h = net(X).squeeze(1)
    risk = T.unsqueeze(0) >= T.unsqueeze(1)
    lse = torch.logsumexp(h.unsqueeze(0).masked_fill(~risk, -1e9), 1)
    loss = -((h - lse) * E).sum() / E.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
