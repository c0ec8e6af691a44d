import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
xl = torch.randn(20, 4)
yl = (xl[:, 0] > 0).long()
xu = torch.randn(200, 4)
for epoch in range(30):
    net.eval()
    with torch.no_grad():
        conf, pseudo = net(xu).softmax(1).max(1)
    keep = conf > 0.9
    net.train()
    loss = nn.functional.cross_entropy(net(xl), yl)
    if keep.any():
        loss = loss + 0.5 * nn.functional.cross_entropy(net(xu[keep]), pseudo[keep])
    opt.zero_grad()
    loss.backward()
    opt.step()
