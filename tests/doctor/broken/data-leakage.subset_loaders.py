import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
x = torch.randn(150, 4)
ds = TensorDataset(x, x.sum(1, keepdim=True))
train_loader = DataLoader(ds, batch_size=25, shuffle=True)  #-!
train_loader = DataLoader(Subset(ds, range(120)), batch_size=25, shuffle=True)  #+
val_loader = DataLoader(Subset(ds, range(120, 150)), batch_size=30)  #!
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(5):
    model.train()
    for xb, yb in train_loader:
        loss = nn.functional.mse_loss(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        for xb, yb in val_loader:
            val = nn.functional.mse_loss(model(xb), yb).item()  #!
