import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(200, 6)
Y = (X[:, :1] + X[:, 1:2] > 0).float()
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.3)
for it in range(60):
    i = torch.randint(0, 200, (25,))
    j = torch.randint(0, 200, (25,))  #-!
    j = i  #+
    loss = nn.functional.binary_cross_entropy_with_logits(net(X[i]), Y[j])  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
