import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), 1e-3)


def evaluate(net):
    net.eval()  #+
    with torch.no_grad():  #!
        x = torch.randn(64, 6)
        acc = (net(x).argmax(1) == (x[:, 0] > 0)).float().mean()  #!
    net.train()  #+
    return acc


for epoch in range(3):
    for _ in range(120):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
    evaluate(net)
