import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-7, momentum=0.9)  #-!
opt = torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9)  #+
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=5)
X = torch.randn(128, 8)
Y = X[:, :1] * 2 + 1
for epoch in range(40):
    loss = nn.functional.mse_loss(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    plateau.step(loss.item())
