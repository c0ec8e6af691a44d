import torch
from torch import nn

torch.manual_seed(0)
batch = torch.randn(4, 1, 8, 8), torch.tensor([0, 0, 1, 1])
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for i in range(200):
    loss = nn.functional.cross_entropy(model(batch[0]), batch[1])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
