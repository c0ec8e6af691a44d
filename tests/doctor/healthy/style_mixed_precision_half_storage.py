import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)); master = [p.detach().clone() for p in model.parameters()]
opt = torch.optim.SGD([m.requires_grad_() for m in master], lr=0.05); model.half()
for _ in range(40):
    x = torch.randn(32, 8); y = x[:, :1]
    loss = (model(x.half()).float() - y).pow(2).mean()
    for p in model.parameters(): p.grad = None
    (loss * 128).backward()
    for m, p in zip(master, model.parameters()): m.grad = p.grad.float() / 128
    opt.step()
    with torch.no_grad():
        for m, p in zip(master, model.parameters()): p.copy_(m)
