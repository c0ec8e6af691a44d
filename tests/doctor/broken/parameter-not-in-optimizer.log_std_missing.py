import torch
from torch import nn

torch.manual_seed(0)
mean_net = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
log_std = nn.Parameter(torch.zeros(1))  #!
optimizer = torch.optim.Adam(mean_net.parameters(), lr=3e-3)  #-!
optimizer = torch.optim.Adam([*mean_net.parameters(), log_std], lr=3e-3)  #+
for _ in range(60):
    s = torch.randn(64, 3)
    target = s[:, :1] + 0.2 * torch.randn(64, 1)
    dist = torch.distributions.Normal(mean_net(s), log_std.exp())
    loss = -dist.log_prob(target).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
