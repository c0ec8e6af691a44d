import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Linear(3, 2)
        self.critic = nn.Linear(3, 1)

    def forward(self, s):
        return self.actor(s), self.critic(s)


net = ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for ep in range(12):
    s = torch.randn(20, 3)
    mu, v = net(s)
    v = v.squeeze(-1)  #+
    dist = Normal(mu, 1.0)
    act = dist.sample()
    returns = -(act - s[:, :2]).pow(2).sum(1)
    adv = returns - v.detach()  #!
    policy_loss = -(dist.log_prob(act).sum(1) * adv).mean()
    value_loss = (returns - v).pow(2).mean()  #!
    loss = policy_loss + 0.5 * value_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
