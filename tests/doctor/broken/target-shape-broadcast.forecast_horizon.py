import torch
from torch import nn

torch.manual_seed(0)


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 16, batch_first=True)
        self.fc = nn.Linear(16, 1)

    def forward(self, x):
        return self.fc(self.gru(x)[0])  # (batch, time, 1)


model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
wave = torch.sin(torch.arange(0, 400) * 0.1)
for start in range(0, 300, 20):
    batch = torch.stack([wave[start + k : start + k + 13] for k in range(12)])
    x, y = batch[:, :-1], batch[:, 1:]
    out = model(x.unsqueeze(-1))
    out = out.squeeze(-1)  #+
    loss = nn.functional.l1_loss(out, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
