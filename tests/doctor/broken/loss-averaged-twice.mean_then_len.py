import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.randn(240, 6)
dl = DataLoader(TensorDataset(X, X[:, :3].argmax(1)), batch_size=24, shuffle=True)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.2)
for epoch in range(4):
    for x, y in dl:
        loss = nn.functional.cross_entropy(net(x), y)
        loss = loss / len(y)  #-!
        opt.zero_grad()
        loss.backward()
        opt.step()
