import numpy as np
import torch, torch.nn as nn
np.random.seed(0); torch.manual_seed(0)
X = np.random.randn(300, 5).astype("float32"); y = (2 * X[:, :1] - X[:, 1:2]).astype("float32")
Xt, yt = torch.from_numpy(X), torch.from_numpy(y)
m = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)); opt = torch.optim.Adam(m.parameters(), 1e-2)
for e in range(60):
    idx = np.random.permutation(300)[:64]
    loss = nn.functional.mse_loss(m(Xt[idx]), yt[idx])
    opt.zero_grad(); loss.backward(); opt.step()
m.eval()
with torch.no_grad():
    for j in range(5):
        Z = X.copy(); np.random.shuffle(Z[:, j])
        print(j, nn.functional.mse_loss(m(torch.from_numpy(Z)), yt).item())
