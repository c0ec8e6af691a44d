import torch
import torch.nn as nn
torch.manual_seed(0)
n = 300
year = torch.randint(1950, 2021, (n,)).float()
area = torch.rand(n) * 300 + 30
price = 1000 * area + 500 * (year - 1950)
X = torch.stack([year, area], 1)
y = ((price - price.mean()) / price.std()).unsqueeze(1)
X = (X - X.mean(0)) / X.std(0)  #+
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for e in range(80):
    pred = net(X)  #-!
    pred = net(X)  #+
    loss = nn.functional.mse_loss(pred, y)
    opt.zero_grad(); loss.backward(); opt.step()
