import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader
class Pixels(Dataset):
    def __init__(self, n=200):
        g = torch.Generator().manual_seed(1)
        self.img = torch.randint(0, 256, (n, 64), generator=g).float()
        self.lab = (self.img[:, :32].mean(1) > self.img[:, 32:].mean(1)).long()
    def __len__(self): return len(self.img)
    def __getitem__(self, i):
        return self.img[i], self.lab[i]  #-
        return self.img[i] / 127.5 - 1, self.lab[i]  #+
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(64, 32), nn.Sigmoid(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for ep in range(6):
    for x, y in DataLoader(Pixels(), batch_size=20, shuffle=True):
        out = net(x)  #-!
        out = net(x)  #+
        loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad(); loss.backward(); opt.step()
