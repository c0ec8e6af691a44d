import torch
from torch import nn


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 8)])
        self.out = nn.Linear(8, 1)

    def add_layer(self):
        self.layers.append(nn.Linear(8, 8))  #!

    def forward(self, x):
        for l in self.layers:
            x = torch.tanh(l(x))
        return self.out(x)


torch.manual_seed(0)
model = Growing()
optim = torch.optim.SGD(model.parameters(), lr=0.1)  #!
x = torch.randn(100, 3)
y = torch.sin(x.sum(1, keepdim=True))
for stage in range(3):
    for _ in range(15):
        loss = nn.functional.mse_loss(model(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()
    if stage < 2:
        model.add_layer()  #!
        optim.add_param_group({"params": model.layers[-1].parameters()})  #+
