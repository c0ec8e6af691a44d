import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(96, 6)
y = x[:, :4].argmax(1)
for epoch in range(5):
    for b in range(0, 96, 24):
        p = F.softmax(net(x[b : b + 24]), dim=0)  #-!
        p = F.softmax(net(x[b : b + 24]), dim=1)  #+
        onehot = F.one_hot(y[b : b + 24], 4).float()
        loss = -(onehot * torch.log(p + 1e-8)).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
