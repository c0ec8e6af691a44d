import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
accum = 4
opt.zero_grad()
for i in range(80):
    x = torch.randn(16, 10)
    y = x[:, :3].argmax(1)
    loss = nn.functional.cross_entropy(model(x), y)
    loss = loss / accum  #+
    loss.backward()  #!
    if (i + 1) % accum == 0:
        opt.step()
        opt.zero_grad()
