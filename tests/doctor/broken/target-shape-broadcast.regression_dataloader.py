import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader
class Houses(Dataset):
    def __init__(self, n=256):
        g = torch.Generator().manual_seed(0)
        self.x = torch.randn(n, 6, generator=g)
        self.y = self.x @ torch.randn(6, generator=g) + 1
    def __len__(self): return len(self.x)
    def __getitem__(self, i): return self.x[i], self.y[i]
torch.manual_seed(0)
loader = DataLoader(Houses(), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
crit = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for x, y in loader:
        out = model(x)
        loss = crit(out, y)  #-!
        loss = crit(out.squeeze(1), y)  #+
        opt.zero_grad()
        loss.backward()
        opt.step()
