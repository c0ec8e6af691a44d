import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opts = {p: torch.optim.SGD([p], lr=0.05) for p in net.parameters()}


def hook(p):
    opts[p].step()
    opts[p].zero_grad()


for p in net.parameters():
    p.register_post_accumulate_grad_hook(hook)
for _ in range(20):
    x = torch.randn(16, 4)
    nn.functional.mse_loss(net(x), x[:, :1]).backward()
