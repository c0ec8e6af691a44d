import torch, torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)); opt = torch.optim.Adam(net.parameters(), 1e-3)
crit = nn.TripletMarginLoss(margin=0.5)
C = torch.randn(5, 8) * 2
for i in range(60):
    k = torch.randint(0, 5, (32,)); j = (k + torch.randint(1, 5, (32,))) % 5
    a, p, n = (C[q] + 0.3 * torch.randn(32, 8) for q in (k, k, j))
    loss = crit(net(a), net(p), net(n))
    opt.zero_grad(); loss.backward(); opt.step()
