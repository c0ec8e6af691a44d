import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centers = torch.randn(5, 8) * 2
X = torch.cat([c + torch.randn(60, 8) for c in centers])
y = torch.arange(5).repeat_interleave(60)
train_loader = DataLoader(TensorDataset(X, y), batch_size=20)  #-!
train_loader = DataLoader(TensorDataset(X, y), batch_size=20, shuffle=True)  #+
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    for xb, yb in train_loader:  #!
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
