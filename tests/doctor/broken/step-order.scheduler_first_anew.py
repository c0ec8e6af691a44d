import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)
x, y = torch.randn(60, 6), torch.randint(0, 3, (60,))
for epoch in range(12):
    scheduler.step()  #-!
    for xb, yb in zip(x.split(20), y.split(20)):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        optimizer.step()
    scheduler.step()  #+
