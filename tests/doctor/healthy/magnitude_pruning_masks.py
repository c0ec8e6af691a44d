import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 3))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
X = torch.randn(150, 12)
Y = X[:, :3].argmax(1)
masks = {}
for epoch in range(40):
    loss = nn.functional.cross_entropy(net(X), Y)
    opt.zero_grad()
    loss.backward()
    for n, p in net.named_parameters():
        if n in masks:
            p.grad.mul_(masks[n])
    opt.step()
    if epoch == 15:
        for n, p in net.named_parameters():
            if p.ndim == 2:
                masks[n] = (p.abs() > p.abs().flatten().kthvalue(int(0.8 * p.numel())).values).float()
    with torch.no_grad():
        for n, p in net.named_parameters():
            if n in masks:
                p.mul_(masks[n])
