import torch, torch.nn as nn
torch.manual_seed(0)
rnn = nn.LSTM(1, 16); head = nn.Linear(16, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=5e-3)
sig = torch.sin(torch.arange(0, 401) * 0.2).view(-1, 1, 1)
for ep in range(2):
    state = None
    for i in range(0, 400, 25):
        o, state = rnn(sig[i:i + 25], state)
        loss = (head(o) - sig[i + 1:i + 26]).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        state = tuple(s.detach() for s in state)
