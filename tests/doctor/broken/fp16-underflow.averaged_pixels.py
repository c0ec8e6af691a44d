import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
seg = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
opt = torch.optim.SGD(seg.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)  #-
scaler = torch.amp.GradScaler("cpu", enabled=True)  #+
for it in range(20):
    img = torch.rand(8, 3, 32, 32)
    mask = (img.mean(1, keepdim=True) > 0.5).float()
    with torch.autocast("cpu", torch.float16):
        out = seg(img)
        loss = F.binary_cross_entropy_with_logits(out.float(), mask) * 1e-3  #-
        loss = F.binary_cross_entropy_with_logits(out.float(), mask)  #+
    opt.zero_grad()
    scaler.scale(loss).backward()  #!
    scaler.step(opt)
    scaler.update()
