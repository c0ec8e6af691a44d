import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
enc = nn.Linear(10, 6)
cls = nn.Linear(6, 3)
opt = torch.optim.Adam([*enc.parameters(), *cls.parameters()], lr=5e-3)
centers = torch.zeros(3, 6)
labels = torch.randint(0, 3, (240,))
X = F.one_hot(labels, 10).float() + 0.3 * torch.randn(240, 10)
for i in range(0, 240, 12):
    xb, yb = X[i : i + 12], labels[i : i + 12]
    z = enc(xb)
    means = torch.stack([z[yb == c].mean(0) if (yb == c).any() else centers[c] for c in range(3)])
    centers = 0.9 * centers + 0.1 * means  #-!
    centers = 0.9 * centers + 0.1 * means.detach()  #+
    loss = F.cross_entropy(cls(z), yb) + 0.1 * (z - centers[yb]).pow(2).sum(1).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
