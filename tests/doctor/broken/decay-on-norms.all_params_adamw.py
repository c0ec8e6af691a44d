import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n, self.b = nn.Linear(6, 24), nn.LayerNorm(24), nn.Linear(24, 2)

    def forward(self, x):
        return self.b(torch.relu(self.n(self.a(x))))


net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=2.0)  #-!
opt = torch.optim.AdamW([{"params": [net.a.weight, net.b.weight], "weight_decay": 0.01}, {"params": [net.a.bias, net.b.bias, *net.n.parameters()], "weight_decay": 0.0}], lr=1e-2)  #+
for _ in range(60):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
