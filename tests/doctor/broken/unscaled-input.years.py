import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Sigmoid(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)


torch.manual_seed(0)
year = torch.randint(1950, 2020, (120, 1)).float()
km = 200000 * torch.rand(120, 1)
X = torch.cat([year, km], 1)
price = (year - 1985) / 20 - (km - 100000) / 60000
X = (X - X.mean(0)) / X.std(0)  #+
model = Model()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(60):
    pred = model(X)  #!
    loss = nn.functional.mse_loss(pred, price)
    opt.zero_grad()
    loss.backward()
    opt.step()
