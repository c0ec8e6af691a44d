import torch
from torch import nn

torch.manual_seed(0)


def augment(x, p):
    mask = (torch.rand_like(x) > p).float()
    return x * mask


model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
x = torch.randn(120, 8)
y = x[:, :3].argmax(1)
for epoch in range(40):
    out = model(augment(x, 1.0))  #-!
    out = model(augment(x, 0.1))  #+
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
