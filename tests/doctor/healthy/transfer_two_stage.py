import torch, torch.nn as nn
torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU()); head = nn.Linear(32, 5); net = nn.Sequential(body, head)
X = torch.randn(200, 8); Y = X[:, :5].argmax(1)
opt = torch.optim.Adam(net.parameters(), 1e-2)
for e in range(30):
    loss = nn.functional.cross_entropy(net(X), Y); opt.zero_grad(); loss.backward(); opt.step()
net[1] = nn.Linear(32, 2)
for p in body.parameters(): p.requires_grad_(False)
body.eval()
Z = (X[:, 6] > 0).long(); opt = torch.optim.SGD(net[1].parameters(), 0.1)
for e in range(30):
    loss = nn.functional.cross_entropy(net(X), Z); opt.zero_grad(); loss.backward(); opt.step()
for p in body.parameters(): p.requires_grad_(True)
net.train(); opt = torch.optim.SGD(net.parameters(), 0.01)
for e in range(30):
    loss = nn.functional.cross_entropy(net(X), Z); opt.zero_grad(); loss.backward(); opt.step()
