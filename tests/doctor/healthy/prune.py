import torch, torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 2))
masks = {n: torch.ones_like(p) for n, p in net.named_parameters() if p.dim() > 1}
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X = torch.randn(256, 10); Y = (X.sum(1) > 0).long()
for rnd in range(3):
    for e in range(15):
        loss = nn.functional.cross_entropy(net(X), Y)
        opt.zero_grad(); loss.backward()
        for n, p in net.named_parameters():
            if n in masks: p.grad.mul_(masks[n])
        opt.step()
    for n, p in net.named_parameters():
        if n in masks:
            k = p.abs().flatten().quantile(0.3 * (rnd + 1))
            masks[n] = (p.abs() > k).float()
            p.data.mul_(masks[n])
