import torch, torch.nn as nn

torch.manual_seed(1)
enc = nn.LSTM(3, 12, batch_first=True)
head = nn.Linear(12, 1)
opt_e = torch.optim.Adam(enc.parameters(), 2e-3)
opt_h = torch.optim.SGD(head.parameters(), 1e-2)
series = torch.randn(64, 9, 3)
goal = series.sum((1, 2), keepdim=False).unsqueeze(1)
for it in range(60):
    opt_e.zero_grad()
    opt_h.zero_grad()  #+
    out, (h, c) = enc(series)
    loss = nn.MSELoss()(head(h[-1]), goal)
    loss.backward()  #!
    opt_e.step()
    opt_h.step()  #!
