import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.Adagrad(net.parameters(), lr=1e-8)  #-!
opt = torch.optim.Adagrad(net.parameters(), lr=1e-1)  #+
X = torch.randn(100, 6)
Y = X.sum(1, keepdim=True)
for i in range(60):
    loss = nn.functional.mse_loss(net(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
