import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
features = torch.randn(320, 6)
price = features @ torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0, 1.0])
loader = DataLoader(TensorDataset(features, price), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for xb, yb in loader:
        pred = model(xb)
        loss = nn.functional.mse_loss(pred, yb)  #-!
        loss = nn.functional.mse_loss(pred.squeeze(1), yb)  #+
        opt.zero_grad()
        loss.backward()
        opt.step()
