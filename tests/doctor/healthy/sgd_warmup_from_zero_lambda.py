import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 4)); opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
total = 100; sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(s / 10, 1.0) * (1 - s / total))
for _ in range(total):
    x = torch.randn(32, 8); loss = nn.functional.cross_entropy(net(x), x[:, :4].argmax(1))
    opt.zero_grad(); loss.backward(); opt.step(); sched.step()
