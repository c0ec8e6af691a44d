import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.DataParallel(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(40):
    x = torch.randn(32, 6); loss = nn.functional.cross_entropy(m(x), (x[:, 0] > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
