import torch
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(30, 12), nn.Linear(12, 30)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.02)
for step in range(25):
    x = torch.randn(40, 30)
    code = torch.sigmoid(enc(x) * 100)  #-!
    code = torch.sigmoid(enc(x))  #+
    loss = (dec(code) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
