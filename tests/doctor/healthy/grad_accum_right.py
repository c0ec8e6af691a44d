import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1)); opt = torch.optim.AdamW(m.parameters(), 1e-3)
K = 5
for i in range(50):
    x = torch.randn(16, 6); y = x[:, :1].abs()
    (nn.functional.mse_loss(m(x), y) / K).backward()
    if i % K == K - 1:
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step(); opt.zero_grad()
