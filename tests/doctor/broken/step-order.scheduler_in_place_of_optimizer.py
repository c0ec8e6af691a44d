import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  #!
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)
for it in range(30):
    x = torch.randn(20, 5)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()  #!
    optimizer.step()  #+
    scheduler.step()  #-!
    scheduler.step()  #+
