import torch
from torch import nn


class MemoryCell(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mix = nn.Linear(2 * dim, dim)
        self.register_buffer("state", torch.zeros(1, dim))

    def forward(self, x):
        joined = torch.cat([x, self.state.expand(x.size(0), -1)], 1)  #!
        new = torch.tanh(self.mix(joined))
        self.state = new.mean(0, keepdim=True)  #-!
        self.state = new.mean(0, keepdim=True).detach()  #+
        return new


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = MemoryCell(5)
        self.head = nn.Linear(5, 1)

    def forward(self, x):
        return self.head(self.cell(x))


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(20):
    x = torch.randn(16, 5)
    loss = ((model(x) - x[:, :1]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
