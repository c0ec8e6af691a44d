import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


class Houses(Dataset):
    def __init__(self, n=128):
        self.x = torch.randn(n, 5)
        self.y = self.x @ torch.tensor([1.0, 2.0, -1.0, 0.5, 0.0])

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


torch.manual_seed(0)
loader = DataLoader(Houses(), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.MSELoss()
for epoch in range(3):
    for features, price in loader:
        pred = model(features)
        price = price.unsqueeze(1)  #+
        loss = criterion(pred, price)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
