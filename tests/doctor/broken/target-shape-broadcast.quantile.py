import torch
import torch.nn as nn


class QuantileLoss(nn.Module):
    def __init__(self, q):
        super().__init__()
        self.q = q

    def forward(self, pred, target):
        diff = target - pred  #!
        return torch.maximum(self.q * diff, (self.q - 1) * diff).mean()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
crit = QuantileLoss(0.9)
for _ in range(30):
    x = torch.randn(48, 4)
    y = x[:, 0] + 0.1 * torch.randn(48)
    out = net(x)
    out = out.squeeze(1)  #+
    loss = crit(out, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
