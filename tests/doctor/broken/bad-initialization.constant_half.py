import torch
from torch import nn

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 16)
        self.b = nn.Linear(16, 16)
        self.c = nn.Linear(16, 1)
        self.reset()  #-

    def reset(self):
        for m in (self.a, self.b, self.c):
            nn.init.constant_(m.weight, 0.1)  #!
            nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.c(torch.tanh(self.b(torch.tanh(self.a(x)))))


net = MLP()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.randn(120, 6)
y = x[:, :1] * x[:, 1:2]
y = x[:, :1]  #+
for _ in range(40):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
