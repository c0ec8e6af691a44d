import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
opt = torch.optim.SGD(emb.parameters(), 0.01)


def pairwise(z):
    d2 = ((z[:, None] - z[None]) ** 2).sum(-1)
    return d2.sqrt()  #-!
    return (d2 + 1e-9).sqrt()  #+


for i in range(15):
    x = torch.randn(16, 6)
    d = pairwise(emb(x))
    same = (x[:, :1] > 0) == (x[:, :1] > 0).T
    loss = torch.where(same, d, torch.relu(1 - d)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
