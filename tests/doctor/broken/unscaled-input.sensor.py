import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 16, batch_first=True)
        self.fc = nn.Linear(16, 1)

    def forward(self, x):
        out, _ = self.lstm(x)  #!
        return self.fc(out[:, -1])


torch.manual_seed(0)
series = 101_325 + 300 * torch.randn(64, 12, 2)
target = (series[:, -1, :1] - 101_325) / 300
series = (series - 101_325) / 300  #+
model = Model()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(40):
    pred = model(series)  #!
    loss = nn.functional.mse_loss(pred, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
