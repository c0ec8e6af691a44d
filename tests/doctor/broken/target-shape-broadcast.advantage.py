import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(critic.parameters(), lr=1e-2)
for _ in range(15):
    obs = torch.randn(40, 3)
    returns = obs.sum(1)
    values = critic(obs)
    values = values.squeeze(-1)  #+
    advantage = returns - values  #-!
    advantage = returns - values  #+
    loss = advantage.pow(2).mean()  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
