import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(80, 10), torch.randint(0, 5, (80,))
for i in range(15):
    out = model(x)
    loss = 1 - (out.argmax(dim=1) == y).float().mean()  #-!
    loss.requires_grad_(True)  #-!
    loss = nn.functional.cross_entropy(out, y)  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
