import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 3), nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 6))
opt_e = torch.optim.SGD(encoder.parameters(), lr=0.1)
opt_d = torch.optim.SGD(decoder.parameters(), lr=0.1)
for _ in range(4):
    x = torch.randn(10, 6)
    out = decoder(encoder(x))
    loss_d = (out - x).pow(2).mean()
    opt_d.zero_grad()
    loss_d.backward(retain_graph=True)
    opt_e.zero_grad()  #+
    loss_e = (out - x).abs().mean()
    loss_e.backward()  #+
    opt_d.step()  #!
    opt_e.zero_grad()  #-
    loss_e.backward()  #-
    opt_e.step()
