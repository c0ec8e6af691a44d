import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-3, 3, 200).unsqueeze(1)
y = 5 * x.abs() + 2
model = nn.Sequential(
    nn.Linear(1, 32),
    nn.Tanh(),
    nn.Linear(32, 1),
    nn.Tanh(),  #-!
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(60):
    loss = nn.functional.mse_loss(model(x), y)  #!
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
