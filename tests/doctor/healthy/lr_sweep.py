import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.randn(128, 6); Y = X[:, :2].argmax(1)
results = {}
for lr in (1e-4, 1e-3, 1e-2, 1e-1):
    m = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
    opt = torch.optim.SGD(m.parameters(), lr=lr)
    for e in range(30):
        loss = nn.functional.cross_entropy(m(X), Y)
        opt.zero_grad(); loss.backward(); opt.step()
    results[lr] = loss.item()
print(min(results, key=results.get))
