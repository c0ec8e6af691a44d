import torch
from torch import nn, optim

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 1))
criterion = nn.MSELoss()
opt = optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
X = torch.randn(200, 6)
y = X.sum(1, keepdim=True).sin()
for epoch in range(4):
    opt.zero_grad()  #-
    perm = torch.randperm(200)
    for i in range(0, 200, 25):
        idx = perm[i : i + 25]
        opt.zero_grad()  #+
        loss = criterion(model(X[idx]), y[idx])
        loss.backward()  #!
        opt.step()  #!
    print(epoch, loss.item())
