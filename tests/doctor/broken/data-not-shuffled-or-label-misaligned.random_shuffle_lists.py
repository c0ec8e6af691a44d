import random
import torch
import torch.nn as nn
random.seed(0)
torch.manual_seed(0)
xs = [[random.gauss(0, 1) for _ in range(4)] for _ in range(200)]
ys = [int(sum(x) > 0) for x in xs]
random.shuffle(xs)  #-!
random.shuffle(ys)  #-!
pairs = list(zip(xs, ys))  #+
random.shuffle(pairs)  #+
xs, ys = zip(*pairs)  #+
X, Y = torch.tensor(xs), torch.tensor(ys)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for e in range(4):
    for i in range(0, 200, 20):
        loss = nn.functional.cross_entropy(net(X[i:i + 20]), Y[i:i + 20])
        opt.zero_grad(); loss.backward(); opt.step()
