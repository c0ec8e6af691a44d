import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 16, batch_first=True)
        self.fc = nn.Linear(16, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _, (h, _) = self.lstm(x)
        return self.fc(h[-1])


torch.manual_seed(0)
series = torch.sin(torch.arange(400) * 0.1)
windows = series.unfold(0, 13, 1)
X, y = windows[:, :12].unsqueeze(-1), windows[:, 12]
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(4):
    for idx in torch.randperm(len(X)).split(64):
        loss = torch.sqrt(nn.functional.mse_loss(net(X[idx]), y[idx]))  #-!
        loss = torch.sqrt(nn.functional.mse_loss(net(X[idx]).squeeze(-1), y[idx]))  #+
        opt.zero_grad()
        loss.backward()
        opt.step()
