import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(8, 4)
decoder = nn.Linear(4, 8)
opt = torch.optim.SGD(list(encoder.parameters()) + list(decoder.parameters()), lr=0.1)
for step in range(12):
    x = torch.randn(16, 8)
    code = torch.tanh(encoder(x)).detach()  #-!
    code = torch.tanh(encoder(x))  #+
    loss = (decoder(code) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
