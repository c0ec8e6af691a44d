import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 16)
        self.b = nn.Linear(16, 16)
        self.c = nn.Linear(16, 1)

    def forward(self, x):
        h = torch.sigmoid(100 * self.a(x))  #-!
        h = torch.sigmoid(50 * self.b(h))  #-!
        h = torch.sigmoid(self.a(x))  #+
        h = torch.tanh(self.b(h))  #+
        return self.c(h)


torch.manual_seed(0)
m = Gated()
opt = torch.optim.SGD(m.parameters(), lr=1e-2)
x = torch.randn(64, 6)
y = torch.sin(3 * x[:, :1]) + torch.randn(64, 1)
for _ in range(60):
    loss = nn.functional.mse_loss(m(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
