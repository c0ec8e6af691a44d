import torch
from torch import nn

torch.manual_seed(0)
area = torch.rand(150, 1) * 3000 + 500
rooms = torch.randint(1, 7, (150, 1)).float()
X = torch.cat([area, rooms], 1)
y = (X[:, :1] * 0.002 + X[:, 1:] * 0.3)
X = (X - X.mean(0)) / X.std(0)  #+
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(40):
    pred = model(X)  #!
    loss = nn.functional.mse_loss(pred, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
