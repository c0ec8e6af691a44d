import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 1); opt = torch.optim.SGD(net.parameters(), lr=1e-2); x = torch.randn(80, 3); y = x.sum(1, keepdim=True); samples = []
for it in range(100):
    loss = 40 * nn.functional.mse_loss(net(x), y) / 40; opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p in net.parameters(): p.add_(0.01 * torch.randn_like(p))
    if it > 50: samples.append([p.detach().clone() for p in net.parameters()])
