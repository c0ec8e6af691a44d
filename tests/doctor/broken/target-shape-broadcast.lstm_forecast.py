import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader


class Series(Dataset):
    def __init__(self, values, window):
        self.v, self.w = values, window

    def __len__(self):
        return len(self.v) - self.w

    def __getitem__(self, i):
        return self.v[i:i + self.w].unsqueeze(-1), self.v[i + self.w]


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 16, batch_first=True)
        self.fc = nn.Linear(16, 1)

    def forward(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


torch.manual_seed(0)
values = torch.sin(torch.arange(0, 40, 0.1))
loader = DataLoader(Series(values, 8), batch_size=32, shuffle=True, drop_last=True)
model, criterion = Forecaster(), nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)  #-!
        loss = criterion(model(x), y.unsqueeze(1))  #+
        loss.backward()
        optimizer.step()
