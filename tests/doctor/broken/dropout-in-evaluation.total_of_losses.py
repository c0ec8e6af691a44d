import torch, torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.l1 = nn.Linear(5, 32); self.dp = nn.Dropout(.4); self.l2 = nn.Linear(32, 1)
    def forward(self, x): return self.l2(self.dp(torch.relu(self.l1(x))))
x = torch.randn(200, 5); y = x[:, :1] - x[:, 1:2]
tr = DataLoader(TensorDataset(x[:150], y[:150]), 25, shuffle=True); te = DataLoader(TensorDataset(x[150:], y[150:]), 25)
net = Net(); opt = torch.optim.Adam(net.parameters(), 1e-2)
for ep in range(4):
    net.train()
    for a, b in tr:
        l = nn.functional.mse_loss(net(a), b); opt.zero_grad(); l.backward(); opt.step()
net.eval()  #+
with torch.inference_mode():
    tot = 0.
    for a, b in te:
        tot += nn.functional.mse_loss(net(a), b).item() * len(a)  #!
print(tot / 50)
