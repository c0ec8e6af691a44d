import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(*[m for _ in range(12) for m in (nn.Linear(32, 32), nn.ReLU())], nn.Linear(32, 1))
for m in net:
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, 0, 1.0)  #-!
        nn.init.kaiming_normal_(m.weight)  #+
        nn.init.zeros_(m.bias)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for i in range(20):
    x = torch.randn(16, 32)
    y = x[:, :1]
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
