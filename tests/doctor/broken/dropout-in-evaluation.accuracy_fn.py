import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)


def accuracy(x, y):
    net.eval()  #+
    with torch.no_grad():  #!
        result = (net(x).argmax(1) == y).float().mean().item()  #!
    net.train()  #+
    return result


for step in range(60):
    x = torch.randn(32, 6)
    y = (x[:, 0] > 0).long()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 19:
        accuracy(x, y)
