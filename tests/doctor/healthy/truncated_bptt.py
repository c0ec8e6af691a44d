import torch
from torch import nn

torch.manual_seed(0)
lstm, head = nn.LSTM(2, 8, batch_first=True), nn.Linear(8, 2)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()], lr=1e-2)
series = torch.randn(4, 80, 2).cumsum(1) * 0.1
state = None
for start in range(0, 75, 5):
    x, y = series[:, start : start + 5], series[:, start + 1 : start + 6]
    out, state = lstm(x, state)
    state = tuple(s.detach() for s in state)
    loss = (head(out) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
