import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
ds = TensorDataset(torch.randn(40, 10), torch.randint(0, 5, (40,)))
net = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 5)); opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for ep in range(2):
    for x, y in DataLoader(ds, 4, shuffle=True):
        opt.zero_grad(); nn.functional.cross_entropy(net(x), y).backward(); opt.step()
