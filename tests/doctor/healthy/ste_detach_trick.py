import torch, torch.nn as nn
torch.manual_seed(0)
enc, dec = nn.Linear(10, 6), nn.Linear(6, 10)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 1e-2)
for i in range(50):
    x = torch.randn(64, 10)
    p = torch.sigmoid(enc(x))
    hard = (p > 0.5).float()
    z = hard + p - p.detach()
    loss = (dec(z) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
