import torch
from torch import nn

torch.manual_seed(0)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(10, 20)
        self.b = nn.Linear(20, 1)

    def forward(self, x):
        h = torch.sigmoid(200 * self.a(x))  #-!
        h = torch.sigmoid(self.a(x))  #+
        return self.b(h)


g = Gate()
opt = torch.optim.Adam(g.parameters(), lr=1e-4)  #-
opt = torch.optim.Adam(g.parameters(), lr=1e-2)  #+
for _ in range(60):
    x = torch.randn(48, 10)
    y = torch.sin(3 * x[:, :1]) * x[:, 1:2]  #-
    y = x[:, :1] + x[:, 1:2]  #+
    loss = nn.functional.mse_loss(g(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
