import torch
import torch.nn as nn
torch.manual_seed(0)
layer1 = nn.Linear(10, 20)
layer2 = nn.Linear(20, 1)
opt = torch.optim.Adam([*layer1.parameters(), *layer2.parameters()], lr=1e-2)
x = torch.randn(64, 10)
y = x.pow(2).sum(1, keepdim=True)
for it in range(30):
    h = torch.tanh(layer1(x))
    out = layer2(h)
    h.data.clamp_(-0.5, 0.5)  #-!
    h = h.clamp(-0.5, 0.5)  #+
    loss = (out - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
