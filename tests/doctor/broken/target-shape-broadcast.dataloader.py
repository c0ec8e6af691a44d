import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Houses(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 5)
        self.y = self.x @ torch.tensor([1.0, 2.0, -1.0, 0.5, 0.0])

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


torch.manual_seed(0)
loader = DataLoader(Houses(80), batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for xb, yb in loader:
        yb = yb.unsqueeze(1)  #+
        loss = criterion(model(xb), yb)  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
