import torch
import torch.nn as nn

torch.manual_seed(0)
area = torch.rand(100, 1) * 3000 + 500
rooms = torch.randint(1, 8, (100, 1)).float()
x = torch.cat([area, rooms], 1)
y = area / 300 + rooms
x = (x - x.mean(0)) / x.std(0)  #+
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(60):
    prediction = model(x)  #!
    loss = (prediction - y + y.mean()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
