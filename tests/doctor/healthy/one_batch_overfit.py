import torch, torch.nn as nn
torch.manual_seed(0)
x, y = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 2, 0])
m = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 3)); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(100):
    loss = nn.functional.cross_entropy(m(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
