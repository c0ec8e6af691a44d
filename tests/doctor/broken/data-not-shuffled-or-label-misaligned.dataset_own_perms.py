import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader
class Shuffled(Dataset):
    def __init__(self, x, y):
        self.x = x[torch.randperm(len(x))]  #-!
        self.y = y[torch.randperm(len(y))]  #-!
        p = torch.randperm(len(x))  #+
        self.x, self.y = x[p], y[p]  #+
    def __len__(self): return len(self.x)
    def __getitem__(self, i): return self.x[i], self.y[i]
torch.manual_seed(0)
x = torch.randn(256, 6)
y = (x[:, 0] > 0).float().unsqueeze(1)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for ep in range(3):
    for a, b in DataLoader(Shuffled(x, y), batch_size=32):
        loss = nn.functional.binary_cross_entropy_with_logits(net(a), b)
        opt.zero_grad(); loss.backward(); opt.step()
