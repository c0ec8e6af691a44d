import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNN(3, 8, batch_first=True)
head = nn.Linear(8, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
h = torch.zeros(1, 4, 8)
for step in range(12):
    x = torch.randn(4, 5, 3)
    y = x.sum((1, 2))[:, None]
    h = h.detach()  #+
    out, h = rnn(x, h)  #!
    loss = nn.functional.mse_loss(head(out[:, -1]), y)
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-!
    loss.backward()  #+
    opt.step()
