import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
X = torch.randn(100, 6); Y = X[:, :1]
for e in range(50):
    out = net(X).clamp(min=5.0, max=6.0)  #-!
    out = net(X)  #+
    loss = nn.functional.mse_loss(out, Y)  #-!
    loss = nn.functional.mse_loss(out, Y)  #+
    opt.zero_grad(); loss.backward(); opt.step()
