import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)
x = torch.randn(60, 4)
y = (x[:, 1] > 0).long()
for epoch in range(12):
    scheduler.step()  #-!
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    scheduler.step()  #+
