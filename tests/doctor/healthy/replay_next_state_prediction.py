import torch
from torch import nn

torch.manual_seed(0)
S = torch.randn(300, 4).cumsum(0) * 0.1
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(40):
    i = torch.randint(0, 299, (32,))
    loss = nn.functional.mse_loss(net(S[i]), S[i + 1])
    opt.zero_grad()
    loss.backward()
    opt.step()
