import torch
from torch import nn

torch.manual_seed(0)
income = 20000 + 60000 * torch.rand(200, 1)
age = 18 + 60 * torch.rand(200, 1)
rooms = torch.randint(1, 8, (200, 1)).float()
X = torch.cat([income, age, rooms], dim=1)
y = ((income / 80000 + rooms / 8 > 0.9)).float()
X = (X - X.mean(0)) / X.std(0)  #+
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(50):
    loss = nn.functional.binary_cross_entropy_with_logits(model(X), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
