import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters())
loss_fn = nn.CrossEntropyLoss()


@torch.no_grad()  #-!
def train_step(x, y):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()  #!
    optimizer.step()
    return loss.item()


for _ in range(10):
    train_step(torch.randn(16, 8), torch.randint(0, 3, (16,)))
