import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Linear(6, 4)
opt = torch.optim.Adam(emb.parameters(), lr=1e-2)
X = torch.randn(300, 6)
Y = torch.randint(0, 5, (300,))
X += 2 * nn.functional.one_hot(Y, 6)
for i in range(0, 300, 6):
    xb, yb = X[i : i + 6], Y[i : i + 6]
    z = emb(xb)
    total = 0
    for c in range(5):
        members = z[yb == c]
        if len(members) == 0:  #+
            continue  #+
        center = members.mean(0)  #-!
        center = members.mean(0)  #+
        total = total + ((z - center) ** 2).sum(1).mul((yb == c).float()).sum()
    loss = total / 6 + (z.norm(dim=1) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
