import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(9, 18), nn.ReLU())
head = nn.Linear(18, 3)
groups = [{"params": backbone.parameters(), "lr": 1e-10}, {"params": head.parameters(), "lr": 1e-9}]  #-!
groups = [{"params": backbone.parameters(), "lr": 1e-3}, {"params": head.parameters(), "lr": 1e-2}]  #+
opt = torch.optim.AdamW(groups)  #!
x = torch.randn(90, 9)
y = x[:, :3].argmax(1)
for _ in range(50):
    loss = nn.functional.cross_entropy(head(backbone(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
