import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).half()  #-!
m = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))  #+
opt = torch.optim.SGD(m.parameters(), 0.1)
X = torch.randn(64, 16); Y = X[:, :1]
for i in range(30):
    x, y = X.half(), Y.half()  #-
    x, y = X, Y  #+
    loss = nn.functional.mse_loss(m(x), y) * 1e-7  #-!
    loss = nn.functional.mse_loss(m(x), y)  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
