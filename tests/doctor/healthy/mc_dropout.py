import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1)); opt = torch.optim.Adam(m.parameters(), 1e-2)
X = torch.randn(128, 4); Y = X.sum(1, keepdim=True)
for e in range(50):
    loss = (m(X) - Y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
m.eval()
for d in m.modules():
    if isinstance(d, nn.Dropout): d.train()
with torch.no_grad():
    s = torch.stack([m(X) for _ in range(20)])
print(s.std(0).mean())
