import torch
from torch import nn

torch.manual_seed(0)
lstm, fc = nn.LSTM(1, 24, batch_first=True), nn.Linear(24, 1)
opt = torch.optim.Adam([*lstm.parameters(), *fc.parameters()], 1e-2)
wave = torch.sin(torch.linspace(0, 40, 401))
state = None
for i in range(0, 400, 10):
    x = wave[i : i + 10].view(1, 10, 1)
    y = wave[i + 1 : i + 11].view(1, 10, 1)
    out, state = lstm(x, state)
    state = tuple(s.detach() for s in state)
    loss = nn.functional.mse_loss(fc(out), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
