import torch
import torch.nn as nn
torch.manual_seed(0)
lin = nn.Sequential(nn.Linear(30, 100), nn.ReLU(), nn.Linear(100, 1)).half()  #-!
lin = nn.Sequential(nn.Linear(30, 100), nn.ReLU(), nn.Linear(100, 1))  #+
opt = torch.optim.SGD(lin.parameters(), lr=1e3)  #-
opt = torch.optim.SGD(lin.parameters(), lr=1e-2)  #+
X = torch.randn(128, 30)
w = torch.randn(30, 1) * 0.05
for i in range(40):
    x, y = X.half(), (X @ w).half()  #-
    x, y = X, X @ w  #+
    err = lin(x) - y
    loss = (err * err).mean() / 65536  #-!
    loss = (err * err).mean()  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
