import numpy as np
import torch, torch.nn as nn
rng = np.random.default_rng(0); torch.manual_seed(0)
X = rng.normal(size=(400, 6)); y = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
p = rng.permutation(len(X)); X, y = X[p], y[p]
mu, sd = X[:300].mean(0), X[:300].std(0)
X = (X - mu) / sd
Xt, yt = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
m = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2)); opt = torch.optim.Adam(m.parameters(), 3e-3)
for e in range(8):
    order = rng.permutation(300)
    for k in range(0, 300, 50):
        b = order[k:k + 50]
        loss = nn.functional.cross_entropy(m(Xt[b]), yt[b])
        opt.zero_grad(); loss.backward(); opt.step()
print((m(Xt[300:]).argmax(1) == yt[300:]).float().mean().item())
