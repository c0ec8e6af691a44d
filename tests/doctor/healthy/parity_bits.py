import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), 0.05)
for _ in range(60):
    bits = torch.randint(0, 2, (64, 12)).float()
    y = bits.sum(1) % 2
    loss = nn.functional.binary_cross_entropy_with_logits(net(bits).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
