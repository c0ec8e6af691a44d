import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)  #+
        self.a = nn.Linear(d, d)
        self.b = nn.Linear(d, d)

    def forward(self, x):
        return x + 4 * self.b(torch.relu(self.a(x)))  #-!
        return x + self.b(torch.relu(self.a(self.norm(x))))  #+


torch.manual_seed(0)
net = nn.Sequential(*[Block(32) for _ in range(16)], nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(15):
    x = torch.randn(32, 32)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
