import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = nn.BCELoss()
for i in range(15):
    x = torch.randn(40, 5) * 3
    y = (x[:, :1] > 0).float()
    out = net(x)
    out = torch.sigmoid(out)  #+
    loss = crit(out, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
