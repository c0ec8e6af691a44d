import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
X = torch.randn(64, 8)
t = (X[:, 0] > 0).float().unsqueeze(1)
for i in range(25):
    logit = net(X).squeeze(1)  #-
    logit = net(X)  #+
    w = torch.nn.functional.softplus(-logit * (2 * t - 1))  #!
    loss = w.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
