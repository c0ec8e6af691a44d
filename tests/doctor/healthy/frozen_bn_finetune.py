import torch, torch.nn as nn
torch.manual_seed(0)
body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU()); head = nn.Linear(16, 2)
body(torch.randn(64, 6))
for p in body.parameters(): p.requires_grad = False
body.eval()
opt = torch.optim.Adam(head.parameters(), 1e-2)
X = torch.randn(128, 6); Y = (X[:, 0] > 0).long()
for e in range(30):
    head.train()
    loss = nn.functional.cross_entropy(head(body(X)), Y)
    opt.zero_grad(); loss.backward(); opt.step()
