import torch
from torch import nn

torch.manual_seed(0)


class Tower(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(24, 24) for _ in range(depth))
        for layer in self.layers:
            nn.init.orthogonal_(layer.weight, gain=2.2)  #-!
            nn.init.orthogonal_(layer.weight)  #+
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)  #!
        return self.out(x)


model = Tower(12)
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
for i in range(20):
    x = torch.randn(32, 24)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    opt.zero_grad()
    loss.backward()  #!
    opt.step()  #!
