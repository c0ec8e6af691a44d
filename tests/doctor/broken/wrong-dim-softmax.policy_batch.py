import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(40):
    states = torch.randn(30, 4)
    probs = policy(states).softmax(0)  #-!
    probs = policy(states).softmax(-1)  #+
    actions = torch.multinomial(probs.detach(), 1)
    rewards = (actions.squeeze(1) == states[:, :3].argmax(1)).float()
    logp = torch.log(probs.gather(1, actions).squeeze(1))
    loss = -(logp * (rewards - rewards.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
