import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(4, 6)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)


def entropy(p):
    return -(p * torch.log(p)).sum(-1)  #-!
    return -(p * torch.log(p + 1e-8)).sum(-1)  #+


for i in range(8):
    x = torch.randn(8, 4)
    logits = policy(x)
    logits = logits.masked_fill(torch.arange(6) > 3, float("-inf"))
    probs = torch.softmax(logits, dim=-1)
    loss = -entropy(probs).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
