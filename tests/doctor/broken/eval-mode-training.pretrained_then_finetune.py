import torch
from torch import nn


def evaluate(model, data):
    was = model.training  #+
    model.eval()  #!
    n = sum((model(x).argmax(1) == y).sum().item() for x, y in data)
    model.train(was)  #+
    return n


torch.manual_seed(0)
data = [(x, (x[:, 0] > 0).long()) for x in torch.randn(12, 20, 8)]
net = nn.Sequential(nn.Linear(8, 40), nn.ReLU(), nn.Dropout(0.3), nn.Linear(40, 2))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
print("before", evaluate(net, data))
for epoch in range(4):
    for x, y in data:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
print("after", evaluate(net, data))
