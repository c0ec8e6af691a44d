import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 1))
x = torch.randn(200, 6)
y = x[:, :2].sum(1, keepdim=True)
for phase in range(3):
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(25):
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    keep = net[0].weight.norm(dim=1).topk(net[0].out_features - 4).indices
    a, b = nn.Linear(6, len(keep)), nn.Linear(len(keep), 1)
    with torch.no_grad():
        a.weight.copy_(net[0].weight[keep]); a.bias.copy_(net[0].bias[keep])
        b.weight.copy_(net[2].weight[:, keep]); b.bias.copy_(net[2].bias)
    net[0], net[2] = a, b
