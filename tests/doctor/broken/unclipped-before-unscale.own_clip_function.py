import torch
import torch.nn as nn
def clip_gradients(model, limit):
    norm = 0.0
    for p in model.parameters():
        if p.grad is not None:
            norm += p.grad.data.norm(2).item() ** 2
    norm = norm ** 0.5
    coef = limit / (norm + 1e-6)
    if coef < 1:
        for p in model.parameters():
            if p.grad is not None:
                p.grad.data.mul_(coef)  #!
    return norm
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
opt = torch.optim.AdamW(net.parameters(), 1e-3)
scaler = torch.amp.GradScaler("cpu")
for i in range(15):
    x = torch.randn(16, 5)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    clip_gradients(net, 0.5)
    scaler.step(opt)
    scaler.update()
