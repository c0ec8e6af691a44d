import torch
from torch import nn


def param_groups(model, wd):
    decay = [p for n, p in model.named_parameters() if n.endswith("weight")]
    rest = [p for n, p in model.named_parameters() if n.endswith("bias")]
    return [{"params": decay, "weight_decay": wd}]  #-!
    return [{"params": decay, "weight_decay": wd}, {"params": rest, "weight_decay": 0.0}]  #+


torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 3))
opt = torch.optim.SGD(param_groups(model, 1e-4), lr=0.05, momentum=0.9)  #!
for i in range(30):
    x = torch.rand(16, 3, 8, 8)
    y = x.mean((2, 3)).argmax(1)
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
