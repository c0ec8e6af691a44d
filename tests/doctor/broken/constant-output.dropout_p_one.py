import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 32),
    nn.ReLU(),
    nn.Dropout(1.0),  #-!
    nn.Dropout(0.1),  #+
    nn.Linear(32, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(50):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x[:, :1])  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
