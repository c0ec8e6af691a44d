import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(40):
    x = torch.randn(64, 10); y = x[:, :3].argmax(1)
    x.requires_grad_(True)
    F.cross_entropy(net(x), y).backward()
    adv = (x + 0.05 * x.grad.sign()).detach()
    opt.zero_grad()
    loss = F.cross_entropy(net(adv), y)
    loss.backward()
    opt.step()
