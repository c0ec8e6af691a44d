import torch
import torch.nn as nn

torch.manual_seed(0)
rnn = nn.RNN(3, 8, batch_first=True)
head = nn.Linear(8, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
hidden = torch.zeros(1, 4, 8)
series = torch.randn(4, 60, 3)
for start in range(0, 60, 5):
    hidden = hidden.detach()  #+
    chunk = series[:, start : start + 5]
    out, hidden = rnn(chunk, hidden)  #!
    loss = (head(out) - chunk.sum(-1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
