import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 16),
    nn.ReLU(),
    nn.Linear(16, 1),
    nn.Softmax(dim=1),  #-!
    nn.Sigmoid(),  #+
)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
bce = nn.BCELoss()
for _ in range(30):
    x = torch.randn(32, 6)
    y = (x[:, :1] > 0).float()
    loss = bce(net(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
