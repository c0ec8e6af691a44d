import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(100, 4)
y = X @ torch.randn(4, 1)
folds = torch.randperm(100).chunk(5)
scores = []
for k in range(5):
    val = folds[k]
    train = torch.cat([f for j, f in enumerate(folds) if j != k])
    net = nn.Linear(4, 1)
    opt = torch.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(20):
        loss = nn.functional.mse_loss(net(X[train]), y[train])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        scores.append(nn.functional.mse_loss(net(X[val]), y[val]).item())
