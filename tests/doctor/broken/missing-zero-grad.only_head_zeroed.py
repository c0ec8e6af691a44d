import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(6, 16), nn.ReLU()), nn.Linear(16, 2)
opt = torch.optim.SGD([{"params": body.parameters(), "lr": 0.01}, {"params": head.parameters()}], lr=0.05)
for _ in range(50):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(head(body(x)), (x[:, 0] > 0).long())
    head.zero_grad()
    body.zero_grad()  #+
    loss.backward()  #!
    opt.step()  #!
