import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
net[0].requires_grad_(False)
net[2].requires_grad_(False)
opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], 0.2)
for epoch in range(24):
    if epoch == 8:
        net[2].requires_grad_(True)
        opt.add_param_group({"params": net[2].parameters(), "lr": 0.1})
    if epoch == 16:
        net[0].requires_grad_(True)
        opt.add_param_group({"params": net[0].parameters(), "lr": 0.05})
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
