import torch
import torch.nn as nn
torch.manual_seed(0)
dtype = torch.float16  #-
dtype = torch.float32  #+
mlp = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)).to(dtype)  #-!
mlp = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)).to(dtype)  #+
opt = torch.optim.SGD(mlp.parameters(), lr=1.0)  #-
opt = torch.optim.SGD(mlp.parameters(), lr=0.05)  #+
X = torch.randn(1024, 10).to(dtype)
Y = (1e-4 * X[:, :1])
for i in range(30):
    loss = ((mlp(X) * 1e-3 - Y) ** 2).mean()  #-!
    loss = ((mlp(X) - Y) ** 2).mean()  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
