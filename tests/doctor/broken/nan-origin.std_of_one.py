import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 2)
opt = torch.optim.SGD(policy.parameters(), lr=0.01)
for ep in range(10):
    n = 1 if ep == 6 else 5
    s = torch.randn(n, 3)
    dist = torch.distributions.Categorical(logits=policy(s))
    a = dist.sample()
    r = (a == 0).float()
    adv = (r - r.mean()) / (r.std() + 1e-8)  #-!
    adv = (r - r.mean()) / (r.std(unbiased=False) + 1e-8)  #+
    loss = -(dist.log_prob(a) * adv).mean()  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
