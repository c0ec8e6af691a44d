import numpy as np
import torch, torch.nn as nn
np.random.seed(0); torch.manual_seed(0)
X = np.random.randn(500, 8).astype("float32"); y = (X[:, 0] > 0).astype("int64")
idx = np.random.permutation(500)
flip = idx[:150]
y_noisy = y.copy(); y_noisy[flip] = 1 - y_noisy[flip]
ds = torch.utils.data.TensorDataset(torch.from_numpy(X), torch.from_numpy(y_noisy))
m = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2)); opt = torch.optim.SGD(m.parameters(), 0.05)
for e in range(4):
    for a, b in torch.utils.data.DataLoader(ds, 25, shuffle=True):
        loss = nn.functional.cross_entropy(m(a), b)
        opt.zero_grad(); loss.backward(); opt.step()
