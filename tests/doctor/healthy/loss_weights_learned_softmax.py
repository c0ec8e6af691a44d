import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(5, 3); w = nn.Parameter(torch.zeros(3))
opt = torch.optim.SGD([{"params": net.parameters()}, {"params": [w], "lr": 1e-3}], lr=0.05)
for _ in range(60):
    x = torch.randn(40, 5)
    per = (net(x) - x[:, :3]).pow(2).mean(0)
    loss = (torch.softmax(w, 0) * per).sum() * 3
    opt.zero_grad(); loss.backward(); opt.step()
