import torch
from torch import nn


def run_epoch(model, data, optimizer=None):
    model.train(optimizer is None)  #-!
    model.train(optimizer is not None)  #+
    total = 0.0
    for x, y in data:
        with torch.set_grad_enabled(optimizer is not None):
            loss = nn.functional.mse_loss(model(x), y)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total / len(data)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 30), nn.ReLU(), nn.Dropout(0.2), nn.Linear(30, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
xs = torch.randn(10, 16, 5)
data = [(x, x.mean(1, keepdim=True) * 3) for x in xs]
for epoch in range(6):
    run_epoch(model, data[:8], optimizer)
    run_epoch(model, data[8:])
