#= norm.py
import torch


def standardise_adv(adv):
    return (adv - adv.mean()) / adv.std()  #-!
    return (adv - adv.mean()) / (adv.std(unbiased=False) + 1e-6)  #+
#= main
import torch
from torch import nn
from norm import standardise_adv

torch.manual_seed(0)
pi = nn.Linear(3, 2)
opt = torch.optim.Adam(pi.parameters(), 1e-2)
for ep in range(12):
    n = 1 if ep == 6 else 8
    s = torch.randn(n, 3)
    d = torch.distributions.Categorical(logits=pi(s))
    a = d.sample()
    r = (a == (s[:, 0] > 0)).float()
    loss = -(d.log_prob(a) * standardise_adv(r + 0.01 * torch.randn(n))).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
