import torch
import torch.nn as nn


def train(model, loader, optimizer, criterion, batch_size):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y) / batch_size  #-!
        loss = criterion(model(x), y)  #+
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
data = [(x := torch.randn(16, 6), x[:, :3].argmax(1)) for _ in range(12)]
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
train(model, data, torch.optim.Adam(model.parameters(), lr=1e-2), nn.CrossEntropyLoss(), 16)
