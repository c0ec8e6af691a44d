import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
for m in net.modules():
    if isinstance(m, nn.Linear):
        m.bias.data.fill_(6.0)  #-!
        m.bias.data.fill_(0.0)  #+
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(128, 20)
y = (X[:, 0] > 0).long()
for i in range(50):
    out = net(X)  #-!
    out = net(X)  #+
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad(); loss.backward(); opt.step()
