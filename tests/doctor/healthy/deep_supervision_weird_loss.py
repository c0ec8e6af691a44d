import torch, torch.nn as nn
torch.manual_seed(0)
l1, l2, l3 = nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 16)
heads = nn.ModuleList([nn.Linear(16, 1) for _ in range(3)])
opt = torch.optim.Adam([*l1.parameters(), *l2.parameters(), *l3.parameters(), *heads.parameters()], 3e-3)
for i in range(50):
    x = torch.randn(64, 6); y = x[:, :1] * x[:, 1:2]
    h, losses = x, []
    for l, hd in zip((l1, l2, l3), heads):
        h = torch.relu(l(h)); losses.append(nn.functional.huber_loss(hd(h), y))
    loss = 1000 * sum(w * v for w, v in zip((0.2, 0.3, 0.5), losses))
    opt.zero_grad(); loss.backward(); opt.step()
