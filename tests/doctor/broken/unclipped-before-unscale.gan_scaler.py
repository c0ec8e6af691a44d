import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 2))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler(device="cpu", init_scale=2048)
MAX_NORM = 0.5


def optimize(loss):
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    total = torch.nn.utils.clip_grad_norm_(net.parameters(), MAX_NORM)  #!
    scaler.step(opt)
    scaler.update()
    return total


for _ in range(25):
    y = torch.randint(0, 2, (20,))
    x = torch.randn(20, 1, 10) + y.view(-1, 1, 1)
    optimize(nn.functional.cross_entropy(net(x), y))
