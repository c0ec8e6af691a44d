import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
X = torch.randn(33, 6); Y = X[:, :1]
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(6, 8)
        self.o = nn.Linear(8, 1)
    def forward(self, x):
        h = self.l(x)
        h = (h - h.mean(0)) / h.std(0)  #-!
        h = (h - h.mean(0)) / (h.std(0, unbiased=False) + 1e-5)  #+
        return self.o(h)
net = N()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for ep in range(4):
    for x, y in DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True):
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
