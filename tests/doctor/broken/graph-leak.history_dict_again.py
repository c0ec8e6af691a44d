import torch
import torch.nn as nn
from collections import defaultdict

torch.manual_seed(0)
history = defaultdict(list)
model = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(5):
    for _ in range(6):
        x = torch.randn(32, 10)
        y = x.pow(2).sum(1, keepdim=True)
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history["loss"].append(loss)  #-!
        history["loss"].append(loss.item())  #+
