import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3)); opt = torch.optim.SGD(m.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for i in range(40):
    x = torch.randn(64, 10); y = x[:, :3].argmax(1)
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(m(x), y)
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(m.parameters(), 1.0)
    scaler.step(opt); scaler.update()
