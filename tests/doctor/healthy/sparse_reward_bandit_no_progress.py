import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 10)
opt = torch.optim.SGD(policy.parameters(), lr=0.01)
for ep in range(50):
    s = torch.randn(8, 3)
    d = torch.distributions.Categorical(logits=policy(s))
    a = d.sample()
    r = (a == 7).float()
    loss = -(d.log_prob(a) * r).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
