import torch
from torch import nn


class SensorNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 16, batch_first=True)
        self.fc = nn.Linear(16, 2)

    def forward(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


def batches(n):
    for _ in range(n):
        y = torch.randint(0, 2, (24,))
        pressure = 101325 + 500 * torch.randn(24, 10, 1) + 300 * y[:, None, None]
        temp = 300 + 5 * torch.randn(24, 10, 1)
        x = torch.cat([pressure, temp], 2)
        x = (x - torch.tensor([101400.0, 300.0])) / torch.tensor([500.0, 5.0])  #+
        yield x, y  #!


torch.manual_seed(0)
model = SensorNet()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for x, y in batches(60):
    loss = nn.functional.cross_entropy(model(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
