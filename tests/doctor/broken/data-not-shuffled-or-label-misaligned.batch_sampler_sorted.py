import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, SequentialSampler
torch.manual_seed(0)
y = torch.randint(0, 4, (320,)).sort().values
x = torch.randn(320, 8) + y[:, None].float() * 0.5
loader = DataLoader(TensorDataset(x, y), batch_size=16, sampler=SequentialSampler(range(320)))  #-!
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)  #+
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for ep in range(3):
    for a, b in loader:
        loss = nn.functional.cross_entropy(net(a), b)
        opt.zero_grad(); loss.backward(); opt.step()
