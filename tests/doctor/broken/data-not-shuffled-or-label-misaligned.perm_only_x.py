import numpy as np
import torch
import torch.nn as nn
def load(n=300):
    rng = np.random.default_rng(0)
    x = rng.random((n, 8))
    t = x @ rng.random(8)
    idx = rng.permutation(n)
    x = x[idx]  #!
    t = t[idx]  #+
    return x.astype("float32"), t.astype("float32")
torch.manual_seed(0)
x, t = load()
x, t = torch.from_numpy(x), torch.from_numpy(t)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for step in range(60):
    k = torch.randint(0, 300, (32,))
    loss = nn.functional.mse_loss(net(x[k]).squeeze(1), t[k])
    opt.zero_grad(); loss.backward(); opt.step()
