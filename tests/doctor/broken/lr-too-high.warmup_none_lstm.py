import torch
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(1, 24, batch_first=True)
fc = nn.Linear(24, 1)
params = list(lstm.parameters()) + list(fc.parameters())
optimizer = torch.optim.Adam(params, lr=1.0)  #-!
optimizer = torch.optim.Adam(params, lr=0.01)  #+
sched = torch.optim.lr_scheduler.StepLR(optimizer, 100, 0.5)
wave = torch.sin(torch.arange(0, 500) * 0.2)
for step in range(40):
    start = torch.randint(0, 470, (16,))
    seq = torch.stack([wave[s : s + 21] for s in start])
    out, _ = lstm(seq[:, :-1, None])
    loss = nn.functional.mse_loss(fc(out).squeeze(-1), seq[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    sched.step()
