import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
config = {"lr": 10.0, "epochs": 4, "batch": 32}  #-
config = {"lr": 0.003, "epochs": 4, "batch": 32}  #+
torch.manual_seed(0)
X = torch.randn(512, 16)
Y = (X @ torch.randn(16, 5)).argmax(1)
loader = DataLoader(TensorDataset(X, Y), batch_size=config["batch"], shuffle=True)
net = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 5))
opt = torch.optim.Adam(net.parameters(), lr=config["lr"])  #-!
opt = torch.optim.Adam(net.parameters(), lr=config["lr"])  #+
for ep in range(config["epochs"]):
    for xb, yb in loader:
        opt.zero_grad()
        l = nn.functional.cross_entropy(net(xb), yb)
        l.backward()
        opt.step()
