import torch
from torch import nn

torch.manual_seed(0)
m = nn.LSTM(3, 16, batch_first=True)
h = nn.Linear(16, 2)
opt = torch.optim.Adam([{"params": m.parameters()}, {"params": h.parameters()}], lr=1e-10)  #-!
opt = torch.optim.Adam([{"params": m.parameters()}, {"params": h.parameters()}], lr=5e-3)  #+
for i in range(50):
    x = torch.randn(32, 5, 3)
    y = (x.sum((1, 2)) > 0).long()
    loss = nn.functional.cross_entropy(h(m(x)[0][:, -1]), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
