import math
import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2)); opt = torch.optim.AdamW(m.parameters(), 1e-2)
def f(s): return s / 10 if s < 10 else 0.5 * (1 + math.cos(math.pi * (s - 10) / 50))
sch = torch.optim.lr_scheduler.LambdaLR(opt, f)
for s in range(60):
    x = torch.randn(64, 6)
    loss = nn.functional.cross_entropy(m(x), (x[:, 0] > 0).long())
    opt.zero_grad(); loss.backward(); opt.step(); sch.step()
