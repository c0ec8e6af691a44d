import torch
from torch import nn


class RecurrentPolicy(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRUCell(3, 16)
        self.pi = nn.Linear(16, 2)

    def act(self, obs, h):
        h = self.gru(obs, h)  #!
        return torch.distributions.Categorical(logits=self.pi(h)), h


torch.manual_seed(0)
policy = RecurrentPolicy()
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
h = torch.zeros(8, 16)
for update in range(15):
    log_probs, rewards = [], []
    h = h.detach()  #+
    for t in range(5):
        obs = torch.randn(8, 3)
        dist, h = policy.act(obs, h)
        a = dist.sample()
        log_probs.append(dist.log_prob(a))
        rewards.append((a == (obs[:, 0] > 0)).float())
    r = torch.stack(rewards)
    loss = -(torch.stack(log_probs) * (r - r.mean())).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-!
    loss.backward()  #+
    opt.step()
