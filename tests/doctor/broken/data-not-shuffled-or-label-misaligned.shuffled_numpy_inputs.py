import numpy as np
import torch
from torch import nn

np.random.seed(0)
torch.manual_seed(0)
inputs = np.random.randn(180, 5).astype(np.float32)
targets = (inputs[:, :1] * 2 - inputs[:, 1:2]).astype(np.float32)
idx = np.random.permutation(180)  #+
inputs, targets = inputs[idx], targets[idx]  #+
np.random.shuffle(inputs)  #-!
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(40):
    loss = nn.functional.mse_loss(model(torch.from_numpy(inputs)), torch.from_numpy(targets))  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
