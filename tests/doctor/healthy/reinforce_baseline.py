import torch
from torch import nn

torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 3))
opt = torch.optim.Adam(pi.parameters(), 5e-3)
baseline = 0.0
for ep in range(60):
    s = torch.randn(12, 3)
    d = torch.distributions.Categorical(logits=pi(s))
    a = d.sample()
    r = (a == s.argmax(1)).float()
    loss = -(d.log_prob(a) * (r - baseline)).mean() - 0.01 * d.entropy().mean()
    baseline = 0.9 * baseline + 0.1 * r.mean().item()
    opt.zero_grad()
    loss.backward()
    opt.step()
