import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


class Digits(Dataset):
    def __init__(self, n=192):
        self.y = torch.randint(0, 4, (n,))
        self.x = torch.randint(0, 120, (n, 1, 8, 8))
        for i, k in enumerate(self.y):
            self.x[i, 0, 2 * k : 2 * k + 2] += 135

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i].float(), self.y[i]  #-!
        return self.x[i].float() / 255.0, self.y[i]  #+


torch.manual_seed(0)
loader = DataLoader(Digits(), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.Sigmoid(), nn.Linear(32, 4))
opt = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(6):
    for img, lab in loader:
        loss = nn.functional.cross_entropy(model(img), lab)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
