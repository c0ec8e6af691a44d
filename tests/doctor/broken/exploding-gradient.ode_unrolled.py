import torch
from torch import nn

torch.manual_seed(0)


class Dynamics(nn.Module):
    def __init__(self):
        super().__init__()
        self.A = nn.Linear(6, 6, bias=False)
        nn.init.eye_(self.A.weight)

    def forward(self, x, steps=40, dt=0.5):
        for _ in range(steps):
            x = x + dt * self.A(x)  #-!
            x = x + 0.02 * torch.tanh(self.A(x))  #+
        return x


dyn = Dynamics()
optimizer = torch.optim.SGD(dyn.parameters(), lr=1e-4)
for epoch in range(15):
    x0 = torch.randn(16, 6)
    loss = (dyn(x0) - 0.5 * x0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()  #!
    optimizer.step()  #!
