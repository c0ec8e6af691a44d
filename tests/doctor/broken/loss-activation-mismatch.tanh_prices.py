import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(4, 32),
    nn.ReLU(),
    nn.Linear(32, 1),
    nn.Tanh(),  #-!
)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(128, 4)
y = 5 + 3 * x[:, :1] + x[:, 1:2]
for epoch in range(40):
    opt.zero_grad()
    pred = model(x)  #!
    loss = nn.functional.mse_loss(pred, y)  #!
    loss.backward()
    opt.step()
