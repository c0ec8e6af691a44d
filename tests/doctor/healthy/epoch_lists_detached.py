import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for e in range(4):
    losses, outs = [], []
    for _ in range(9):
        x = torch.randn(16, 4)
        out = net(x)
        loss = (out - x[:, :1]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.detach())
        outs.append(out.detach())
    print(e, torch.stack(losses).mean().item(), torch.cat(outs).std().item())
