import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1), nn.Softmax(dim=1))  #-!
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1), nn.Sigmoid())  #+
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(100, 6)
y = (x[:, :1] > 0).float()
for epoch in range(40):
    loss = nn.functional.mse_loss(model(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
