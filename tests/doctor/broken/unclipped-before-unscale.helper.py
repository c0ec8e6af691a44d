#= utils.py
import torch


def clip_gradients(model, max_norm):
    return torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)  #!
#= main
import torch
from torch import nn
from utils import clip_gradients

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(12):
    x = torch.randn(16, 8)
    y = (x[:, 0] > 0).long()
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    clip_gradients(model, 1.0)  #!
    scaler.step(opt)
    scaler.update()
