import torch
from torch import nn

torch.manual_seed(0)
gru = nn.GRU(3, 8, batch_first=True)
fc = nn.Linear(8, 1)
opt = torch.optim.Adam(list(gru.parameters()) + list(fc.parameters()), 1e-3)
series = torch.randn(4, 200, 3)
h = None
for t in range(0, 200, 10):
    chunk = series[:, t : t + 10]
    if h is not None:
        h = h.detach()  #+
        pass
    out, h = gru(chunk, h)  #!
    loss = nn.functional.mse_loss(fc(out), chunk.sum(-1, keepdim=True))
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
