import math, torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 15))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
y = torch.rand(200, 1) * 20 - 10
x = torch.sin(0.75 * y) * 7 + y * 0.5 + torch.randn(200, 1)
x = x / 10
y = y / 10
for _ in range(80):
    pi, mu, ls = net(x).chunk(3, 1)
    logp = pi.log_softmax(1) - 0.5 * ((y - mu) / ls.exp()) ** 2 - ls - 0.5 * math.log(2 * math.pi)
    loss = -torch.logsumexp(logp, 1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
