import torch, torch.nn as nn
torch.manual_seed(0)
lstm, fc = nn.LSTM(2, 12, batch_first=True), nn.Linear(12, 1)
opt = torch.optim.Adam([*lstm.parameters(), *fc.parameters()], lr=1e-3)
hidden = None
for i in range(15):
    x = torch.randn(4, 6, 2)
    if hidden is not None: hidden = tuple(h.detach() for h in hidden)  #+
    out, hidden = lstm(x, hidden)  #!
    loss = (fc(out) - x.sum(-1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
