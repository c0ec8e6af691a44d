import torch
import torch.nn as nn
from collections import defaultdict

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 50), nn.ReLU(), nn.Linear(50, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
history = defaultdict(list)
x, y = torch.randn(100, 10), torch.randn(100, 1)
for epoch in range(40):
    optimizer.zero_grad()
    pred = net(x)
    loss = nn.functional.mse_loss(pred, y)
    loss.backward()
    optimizer.step()
    history["loss"].append(loss)  #-!
    history["loss"].append(loss.item())  #+
    history["pred_mean"].append(pred.mean().item())
