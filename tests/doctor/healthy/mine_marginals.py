import torch
from torch import nn

torch.manual_seed(0)
T = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(T.parameters(), 1e-3)
x = torch.randn(256, 1)
y = x + 0.3 * torch.randn(256, 1)
for _ in range(40):
    perm = torch.randperm(256)
    y_shuffled = y[perm]
    joint = T(torch.cat([x, y], 1)).mean()
    marginal = torch.logsumexp(T(torch.cat([x, y_shuffled], 1)), 0) - torch.log(torch.tensor(256.0))
    loss = -(joint - marginal).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
