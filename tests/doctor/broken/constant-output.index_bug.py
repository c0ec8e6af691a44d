import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


class Points(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 5)
        self.y = (self.x[:, 0] > 0).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[0], self.y[i]  #-!
        return self.x[i], self.y[i]  #+


torch.manual_seed(0)
dl = DataLoader(Points(320), batch_size=32, shuffle=True)
m = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
opt = torch.optim.Adam(m.parameters(), 1e-2)
for ep in range(5):
    for x, y in dl:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(m(x), y)  #!
        loss.backward()
        opt.step()
