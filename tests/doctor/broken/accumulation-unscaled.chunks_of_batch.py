import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for it in range(12):
    X = torch.randn(64, 6)
    Y = X.sum(1, keepdim=True)
    opt.zero_grad()
    for xb, yb in zip(X.chunk(8), Y.chunk(8)):
        loss = nn.functional.mse_loss(net(xb), yb)  #!
        (loss / 8).backward()  #+
        loss.backward()  #-!
    opt.step()  #!
