import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
for layer in net:
    if isinstance(layer, nn.Linear):
        layer.bias.data.fill_(-10)  #-!
        layer.bias.data.fill_(0)  #+
opt = torch.optim.Adam(net.parameters(), lr=1e-4)
X = torch.randn(128, 12)
y = X[:, :3].argmax(1)
for e in range(40):
    out = net(X)  #-!
    out = net(X)  #+
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad(); loss.backward(); opt.step()
