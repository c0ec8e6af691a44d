import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
xl = torch.randn(20, 4); yl = (xl[:, 0] > 0).long()
for _ in range(60):
    u = torch.randn(60, 4)
    with torch.no_grad():
        p = F.softmax(net(u + 0.05 * torch.randn_like(u)), 1)
        conf, pseudo = p.max(1)
    mask = (conf > 0.9).float()
    lu = (F.cross_entropy(net(u + 0.3 * torch.randn_like(u)), pseudo, reduction="none") * mask).mean()
    loss = F.cross_entropy(net(xl), yl) + lu
    opt.zero_grad(); loss.backward(); opt.step()
