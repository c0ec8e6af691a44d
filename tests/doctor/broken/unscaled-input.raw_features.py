import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.rand(200, 5) * torch.tensor([1.0, 1e3, 1e5, 10.0, 500.0]); Y = (X[:, 0] > 0.5).long()
X = (X - X.mean(0)) / X.std(0)  #+
net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 2)); opt = torch.optim.SGD(net.parameters(), 0.05)
for e in range(50):
    out = net(X)  #-!
    out = net(X)  #+
    loss = nn.functional.cross_entropy(out, Y)
    opt.zero_grad(); loss.backward(); opt.step()
