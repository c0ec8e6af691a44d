import random
import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
xs = [torch.randn(5) for _ in range(96)]
ys = [int(x[0] > 0) for x in xs]
random.shuffle(xs)  #-!
pairs = list(zip(xs, ys))  #+
random.shuffle(pairs)  #+
xs, ys = zip(*pairs)  #+
X, Y = torch.stack(list(xs)), torch.tensor(list(ys))
net = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for e in range(6):
    for k in range(0, 96, 16):
        loss = nn.functional.cross_entropy(net(X[k : k + 16]), Y[k : k + 16])
        opt.zero_grad()
        loss.backward()
        opt.step()
