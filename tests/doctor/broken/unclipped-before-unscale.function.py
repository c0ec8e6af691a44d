import torch
import torch.nn as nn
def optimizer_step(scaler, opt, model, max_norm):
    if max_norm:
        scaler.unscale_(opt)  #+
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)  #-!
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)  #+
    scaler.step(opt)
    scaler.update()
    opt.zero_grad(set_to_none=True)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for i in range(15):
    x = torch.randn(16, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    scaler.scale(loss).backward()
    optimizer_step(scaler, opt, model, 1.0)
