import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
sd = net.state_dict()
for k in sd:
    sd[k] = torch.full_like(sd[k], 0.05)  #-
    sd[k] = torch.randn_like(sd[k]) * 0.2  #+
net.load_state_dict(sd)  #!
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
X = torch.randn(100, 6); y = (X[:, 0] > X[:, 1]).long()
for i in range(40):
    loss = nn.functional.cross_entropy(net(X), y)
    opt.zero_grad(); loss.backward(); opt.step()
