import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for i in range(30):
    x = torch.randn(20, 12)
    y = x[:, :3].argmax(1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.zero_grad()  #-!
    opt.step()
    opt.zero_grad()  #+
