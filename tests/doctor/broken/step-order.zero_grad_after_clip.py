import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for it in range(25):
    x = torch.randn(30, 6)
    net.zero_grad()  #+
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    net.zero_grad()  #-!
    opt.step()  #-!
    opt.step()  #+
