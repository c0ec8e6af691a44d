import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(6, 16), nn.ReLU()), nn.Linear(16, 2)
for p in body.parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam(head.parameters(), lr=1e-2)
x = torch.randn(64, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
for epoch in range(24):
    if epoch == 12:
        for p in body.parameters():
            p.requires_grad_(True)
        opt.add_param_group({"params": body.parameters(), "lr": 1e-3})
    loss = nn.functional.cross_entropy(head(body(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
