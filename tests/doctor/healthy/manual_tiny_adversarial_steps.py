import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
x = torch.randn(20, 6)
y = torch.randint(0, 2, (20,))
adv = x.clone().requires_grad_()
for _ in range(15):
    loss = -nn.functional.cross_entropy(net(adv), y)
    loss.backward()
    with torch.no_grad():
        adv -= 0.01 * adv.grad.sign()
    adv.grad = None
    net.zero_grad()
