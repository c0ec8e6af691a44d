import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNN(1, 12, batch_first=True)
out = nn.Linear(12, 1)
opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=0.01)
wave = torch.sin(torch.linspace(0, 60, 601)).view(1, -1, 1)
h = torch.zeros(1, 1, 12)
for k in range(20):
    chunk = wave[:, k * 25 : k * 25 + 26]
    h = h.detach()  #+
    y, h = rnn(chunk[:, :-1], h)  #!
    loss = nn.functional.mse_loss(out(y), chunk[:, 1:])
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
