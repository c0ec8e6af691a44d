import torch
from torch import nn

torch.manual_seed(0)


class SetNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi = nn.Linear(3, 16)
        self.rho = nn.Linear(16, 16)
        self.out = nn.Linear(16, 2)

    def forward(self, x):
        s = self.phi(x).pow(2).sum(1)  #-
        s = self.phi(x).pow(2).mean(1)  #+
        h = torch.tanh(self.rho(s) * 3)  #!
        return self.out(h)


model = SetNet()
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
for step in range(50):
    x = torch.randn(32, 200, 3)
    y = torch.randint(0, 2, (32,))
    x = x * (1 + 0.02 * y[:, None, None])
    x = x * (1 + y[:, None, None])  #+
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
