import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1),  #!
    nn.ReLU(),  #!
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(8, 2),
)
for p in net[0].parameters():  #-
    nn.init.constant_(p, -0.5)  #-!
nn.init.xavier_uniform_(net[0].weight)  #-
net[0].bias.data.fill_(-6.0)  #-!
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(30):
    y = torch.randint(0, 2, (32,))
    x = torch.rand(32, 1, 6, 6) * (1 + y.view(-1, 1, 1, 1))
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
