import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.linspace(-2, 2, 60)[:, None]
y = x**2 / 2
for _ in range(50):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
net.train()  # stochastic passes on purpose
with torch.no_grad():
    samples = torch.stack([net(x) for _ in range(20)])
print(samples.mean(0).shape, samples.std(0).mean())
