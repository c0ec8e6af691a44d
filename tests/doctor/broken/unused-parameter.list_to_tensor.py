import torch
from torch import nn

torch.manual_seed(0)
sizes = nn.Linear(4, 1)
scale = nn.Parameter(torch.ones(1))
opt = torch.optim.Adam([*sizes.parameters(), scale], lr=1e-2)
for _ in range(30):
    x = torch.randn(12, 4)
    y = x[:, 0] * 2
    preds = [sizes(row).squeeze() for row in x]
    preds = torch.tensor(preds)  #-!
    preds = torch.stack(preds)  #+
    loss = (scale * preds - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
