import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 16),
    nn.BatchNorm1d(16, momentum=0.0),  #-!
    nn.BatchNorm1d(16, momentum=0.1),  #+
    nn.ReLU(),
    nn.Linear(16, 1),
)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(200, 6) * 3 + 1
y = x[:, :1] - x[:, 1:2]
for epoch in range(6):
    net.train()
    for i in range(0, 160, 20):
        loss = nn.functional.mse_loss(net(x[i : i + 20]), y[i : i + 20])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(net(x[160:]), y[160:]).item())
