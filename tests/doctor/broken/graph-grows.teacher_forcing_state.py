import torch
import torch.nn as nn
torch.manual_seed(0)
enc = nn.GRUCell(3, 10)
out = nn.Linear(10, 3)
params = list(enc.parameters()) + list(out.parameters())
opt = torch.optim.Adam(params, lr=1e-3)
stream = torch.randn(30, 4, 3)
h = torch.zeros(4, 10)
prev = torch.zeros(4, 3)
for t in range(29):
    h = enc(prev, h)  #!
    pred = out(h)
    loss = (pred - stream[t + 1]).pow(2).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
    prev = stream[t]
    h = h.detach()  #+
