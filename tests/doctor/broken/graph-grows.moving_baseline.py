import torch
import torch.nn as nn
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
value = nn.Linear(4, 1)
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-2)
baseline = torch.tensor(0.0)
for ep in range(25):
    s = torch.randn(32, 4)
    dist = torch.distributions.Categorical(logits=policy(s))
    a = dist.sample()
    r = (a == (s[:, 0] > 0).long()).float()
    v = value(s).squeeze(1)
    baseline = 0.9 * baseline + 0.1 * v.mean()  #-!
    baseline = 0.9 * baseline + 0.1 * v.mean().detach()  #+
    loss = -(dist.log_prob(a) * (r - baseline)).mean() + (v - r).pow(2).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
