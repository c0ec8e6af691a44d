import torch
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(8, 4), nn.Linear(4, 8)
oe, od = torch.optim.SGD(enc.parameters(), 0.1), torch.optim.SGD(dec.parameters(), 0.1)
x = torch.randn(128, 8)
for i in range(40):
    loss = nn.functional.mse_loss(dec(torch.tanh(enc(x))), x)
    enc.zero_grad(); dec.zero_grad()
    loss.backward()
    (oe if i % 2 else od).step()
