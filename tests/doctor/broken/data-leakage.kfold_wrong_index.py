import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(120, 4)
Y = X.sum(1, keepdim=True)
folds = torch.randperm(120).view(4, 30)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
train = folds.flatten()  #-!
train = folds[1:].flatten()  #+
val = folds[0]  #!
for epoch in range(8):
    for i in train.split(30):
        loss = nn.functional.mse_loss(model(X[i]), Y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        score = nn.functional.mse_loss(model(X[val]), Y[val]).item()  #!
