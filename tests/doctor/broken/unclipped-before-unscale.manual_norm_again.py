import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.GRU(5, 16, batch_first=True)
head = nn.Linear(16, 1)
params = list(model.parameters()) + list(head.parameters())
opt = torch.optim.Adam(params, lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 12)
for it in range(20):
    x = torch.randn(16, 7, 5)
    y = x[:, -1, :1]
    with torch.autocast("cpu"):
        o, _ = model(x)
        loss = (head(o[:, -1]) - y).pow(2).mean()
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    norm = torch.sqrt(sum(p.grad.pow(2).sum() for p in params))
    if norm > 1.0:
        for p in params:
            p.grad.mul_(1.0 / norm)  #-!
            p.grad.mul_(1.0 / norm)  #+
    scaler.step(opt)
    scaler.update()
