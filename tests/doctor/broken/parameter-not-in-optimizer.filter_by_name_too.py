import torch
from torch import nn


def build_optimizer(model, lr, wd):
    decay = [p for n, p in model.named_parameters() if n.endswith("weight")]
    rest = [p for n, p in model.named_parameters() if n.endswith("weights")]  #-
    rest = [p for n, p in model.named_parameters() if not n.endswith("weight")]  #+
    groups = [{"params": decay, "weight_decay": wd}]  #-
    groups = [{"params": decay, "weight_decay": wd}, {"params": rest, "weight_decay": 0.0}]  #+
    return torch.optim.AdamW(groups, lr=lr)  #!


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = build_optimizer(model, 5e-3, 1e-4)
for i in range(50):
    x = torch.randn(64, 5)
    y = 4 + x[:, :1].abs()
    loss = nn.functional.l1_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
