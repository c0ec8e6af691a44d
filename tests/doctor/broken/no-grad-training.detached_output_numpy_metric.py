import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 12), nn.SiLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(model.parameters(), 1e-2)
X = torch.rand(100, 4)
Y = (X ** 2).sum(1, keepdim=True)


def rmse(pred, target):
    diff = pred.detach().numpy() - target.numpy()  #-!
    return torch.tensor(np.sqrt((diff ** 2).mean()), requires_grad=True)  #-!
    return torch.sqrt(((pred - target) ** 2).mean())  #+


for epoch in range(25):
    opt.zero_grad()
    loss = rmse(model(X), Y)
    loss.backward()
    opt.step()
