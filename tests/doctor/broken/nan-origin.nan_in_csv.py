import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
table = torch.randn(80, 6)
table[13, 2] = float("nan")
table = torch.nan_to_num(table)  #+
X, y = table[:, :5], table[:, 5:]
loader = DataLoader(TensorDataset(X, y), batch_size=16)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for xb, yb in loader:  #!
        pred = model(xb)  #!
        loss = nn.functional.mse_loss(pred, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
