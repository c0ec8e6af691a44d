import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 4)
y = x[:, :1] + 0.1 * torch.randn(60, 1)
scores = []
for fold in range(3):
    val = torch.arange(60) % 3 == fold
    model = nn.Linear(4, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(12):
        loss = nn.functional.mse_loss(model(x[~val]), y[~val])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        scores.append(nn.functional.mse_loss(model(x[val]), y[val]).item())
