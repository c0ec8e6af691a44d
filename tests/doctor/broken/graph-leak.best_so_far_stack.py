import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 30), nn.Tanh(), nn.Linear(30, 2))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
losses = torch.zeros(0)
X = torch.randn(64, 6); y = (X[:, 0] > 0).long()
for i in range(30):
    loss = nn.functional.cross_entropy(net(X), y)
    opt.zero_grad(); loss.backward(); opt.step()
    losses = torch.cat([losses, loss.unsqueeze(0)])  #-!
    losses = torch.cat([losses, loss.detach().unsqueeze(0)])  #+
print(losses.mean().item())
