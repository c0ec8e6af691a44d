import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(64, 3)
target = x.sum(1, keepdim=True)
for it in range(20):
    optimizer.zero_grad()
    pred = model(x)
    err = pred.detach().numpy() - target.numpy()  #-!
    loss = torch.tensor(np.mean(err**2), requires_grad=True)  #-!
    loss = (pred - target).pow(2).mean()  #+
    loss.backward()  #!
    optimizer.step()
