import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1)); opt = torch.optim.SGD(m.parameters(), 1e-2)
for step in range(12):
    opt.zero_grad(); n = 0
    for micro in range(4):
        x = torch.randn(16, 6); y = x[:, :1].abs()
        nn.functional.mse_loss(m(x), y, reduction="sum").backward(); n += 16
    for p in m.parameters(): p.grad /= n
    opt.step()
