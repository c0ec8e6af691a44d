import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Linear(8, 2); opt = torch.optim.SGD(m.parameters(), 0.1); scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
for i in range(10):
    x = torch.randn(8, 8)
    loss = nn.functional.cross_entropy(m(x), (x[:, 0] > 0).long())
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    torch.nn.utils.clip_grad_norm_(m.parameters(), max_norm=1.0)  #-!
    torch.nn.utils.clip_grad_norm_(m.parameters(), max_norm=1.0)  #+
    scaler.step(opt); scaler.update(); opt.zero_grad()
