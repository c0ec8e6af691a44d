import torch, torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(64, 64), nn.ReLU())], nn.Linear(64, 1))
for p in net.parameters():
    if p.dim() > 1: nn.init.normal_(p, std=0.5)  #-!
    if p.dim() > 1: nn.init.kaiming_uniform_(p)  #+
opt = torch.optim.SGD(net.parameters(), 1e-3)
for i in range(20):
    x = torch.randn(32, 64); loss = nn.functional.mse_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
