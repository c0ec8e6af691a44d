import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
head = nn.Linear(32, 2)
body.requires_grad_(False)
opt = torch.optim.Adam(head.parameters(), 1e-2)
x = torch.randn(256, 8)
y = (x[:, 0] * x[:, 1] > 0).long()
for step in range(80):
    if step == 30:
        body.requires_grad_(True)
        opt.add_param_group({"params": body.parameters(), "lr": 5e-3})
    loss = nn.functional.cross_entropy(head(body(x)), y)
    opt.zero_grad(); loss.backward(); opt.step()
