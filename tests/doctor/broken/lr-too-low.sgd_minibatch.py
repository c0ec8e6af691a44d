import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader
torch.manual_seed(0)
X = torch.randn(512, 20); Y = (X @ torch.randn(20, 3)).argmax(1)
dl = DataLoader(TensorDataset(X, Y), batch_size=64, shuffle=True)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3))
opt = torch.optim.SGD(net.parameters(), lr=1e-6)  #-!
opt = torch.optim.SGD(net.parameters(), lr=1e-1)  #+
for ep in range(6):
    for a, b in dl:
        loss = nn.functional.cross_entropy(net(a), b)
        opt.zero_grad(); loss.backward(); opt.step()
