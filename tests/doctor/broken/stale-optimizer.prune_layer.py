import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 30), nn.ReLU(), nn.Linear(30, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.02)  #!
x = torch.randn(200, 10)
y = x[:, :3].sum(1, keepdim=True)


def train(n):
    for _ in range(n):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
    return loss.item()


print(train(20))
keep = net[0].weight.norm(dim=1).topk(15).indices
small = nn.Linear(10, 15)  #!
small.weight.data.copy_(net[0].weight.data[keep])
last = nn.Linear(15, 1)
last.weight.data.copy_(net[2].weight.data[:, keep])
net[0], net[2] = small, last  #!
opt = torch.optim.SGD(net.parameters(), lr=0.02)  #+
print(train(30))
