import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)); opt = torch.optim.Adam(m.parameters(), 1e-3)
X = torch.randn(512, 10); Y = 100 * X[:, :1] + 500
for e in range(60):
    loss = nn.functional.mse_loss(m(X), Y, reduction="sum")
    opt.zero_grad(); loss.backward(); opt.step()
