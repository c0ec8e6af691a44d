import torch
import torch.nn as nn
import copy
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #-!
model = copy.deepcopy(model)  #!
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
for i in range(30):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
