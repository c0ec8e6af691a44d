import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 2)
opt = torch.optim.Adam(net.parameters(), 1e-3)
val_losses = []
for epoch in range(6):
    for _ in range(60):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
    for _ in range(10):
        x = torch.randn(16, 6)
        v = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        val_losses.append(v)  #-!
        val_losses.append(v.item())  #+
