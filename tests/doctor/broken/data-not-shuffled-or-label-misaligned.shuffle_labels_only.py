import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
def prepare(n=320):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 10, generator=g)
    y = (x[:, 0] - x[:, 1] > 0).long()
    perm = torch.randperm(n)
    y = y[perm]  #!
    x = x[perm]  #+
    return TensorDataset(x, y)
torch.manual_seed(0)
ds = prepare()
net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for ep in range(3):
    for x, y in DataLoader(ds, batch_size=32, shuffle=True):
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
