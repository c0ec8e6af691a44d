import torch
from torch import nn


class DeepNet(nn.Module):
    def __init__(self, width=16, depth=3):
        super().__init__()
        self.inp = nn.Linear(2, width)
        self.hidden = [nn.Linear(width, width) for _ in range(depth)]  #-!
        self.hidden = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))  #+
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.relu(self.inp(x))
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.out(x)


torch.manual_seed(0)
model = DeepNet()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)  #!
x = torch.rand(200, 2) * 2 - 1
y = (x[:, :1] ** 2 + x[:, 1:] ** 2)
for _ in range(60):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
