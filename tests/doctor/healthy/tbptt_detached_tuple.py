import torch
from torch import nn

torch.manual_seed(0)
lstm, fc = nn.LSTM(1, 16, batch_first=True), nn.Linear(16, 1)
opt = torch.optim.Adam([*lstm.parameters(), *fc.parameters()], lr=5e-3)
wave = torch.sin(torch.arange(600) * 0.1).view(4, 150)
for epoch in range(2):
    state = None
    for i in range(0, 140, 14):
        x, y = wave[:, i : i + 14, None], wave[:, i + 1 : i + 15, None]
        out, state = lstm(x, state)
        loss = nn.functional.mse_loss(fc(out), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        state = tuple(s.detach() for s in state)
