import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 1); opt = torch.optim.SGD(net.parameters(), lr=0.05)
for ep in range(10):
    losses = []
    for _ in range(8):
        x = torch.randn(16, 3); losses.append(nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)))
    opt.zero_grad(); torch.stack(losses).mean().backward(); opt.step()
