import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a, self.b = nn.Linear(d, d), nn.Linear(d, d)
        nn.init.zeros_(self.b.weight)
        nn.init.zeros_(self.b.bias)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


torch.manual_seed(0)
net = nn.Sequential(*[Block(8) for _ in range(4)], nn.Linear(8, 3))
opt = torch.optim.Adam(net.parameters(), 3e-3)
for _ in range(60):
    x = torch.randn(64, 8)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad(); loss.backward(); opt.step()
