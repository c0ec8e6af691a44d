import torch
from torch import nn


class Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8, batch_first=True)
        self.fc = nn.Linear(8, 1)

    def forward(self, x):
        out, (h, c) = self.lstm(torch.zeros_like(x))  #-!
        out, (h, c) = self.lstm(x)  #+
        return self.fc(h[-1])


torch.manual_seed(0)
m = Seq()
opt = torch.optim.Adam(m.parameters(), 1e-2)
for _ in range(30):
    x = torch.randn(16, 6, 4)
    loss = nn.functional.mse_loss(m(x), x[:, -1, :1])  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
