import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.SELU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
x = torch.randn(120, 5)
time = torch.distributions.Exponential(torch.exp(x[:, 0])).sample()
event = (torch.rand(120) < 0.8).float()
order = time.argsort(descending=True)
x, event = x[order], event[order]
for _ in range(50):
    risk = net(x).squeeze(1)
    loss = -((risk - torch.logcumsumexp(risk, 0)) * event).sum() / event.sum()
    opt.zero_grad(); loss.backward(); opt.step()
