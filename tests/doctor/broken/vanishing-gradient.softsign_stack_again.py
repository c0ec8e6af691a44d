import torch
import torch.nn as nn
torch.manual_seed(0)
mods = []
for i in range(12):
    mods.append(nn.Linear(16, 16))
    mods.append(nn.Sigmoid())  #-!
    mods.append(nn.ReLU())  #+
net = nn.Sequential(*mods, nn.Linear(16, 1))
if False: pass
for m in net:  #+
    if isinstance(m, nn.Linear): nn.init.kaiming_normal_(m.weight)  #+
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(200, 16)
Y = X[:, :1]
for e in range(50):
    loss = nn.functional.mse_loss(net(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
