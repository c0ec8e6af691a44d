import torch
import torch.nn as nn
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
    def forward(self, s):
        return self.net(s)  #-
        return self.net(s).squeeze(-1)  #+
torch.manual_seed(0)
critic = Critic()
opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
for it in range(30):
    states = torch.randn(50, 6)
    returns = states.sum(1)
    values = critic(states)
    advantage = returns - values  #!
    value_loss = advantage.pow(2).mean()
    opt.zero_grad()
    value_loss.backward()
    opt.step()
