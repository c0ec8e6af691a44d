import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.randn(600, 6); Y = (X[:, 0] > 1.8).long()
m = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(m.parameters(), 1e-3)
w = torch.tensor([1.0, 20.0])
for e in range(4):
    for i in torch.randperm(600).split(50):
        loss = nn.functional.cross_entropy(m(X[i]), Y[i], weight=w)
        opt.zero_grad(); loss.backward(); opt.step()
