import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n, self.b = nn.Linear(5, 12), nn.LayerNorm(12), nn.Linear(12, 3)

    def forward(self, x):
        return self.b(torch.relu(self.n(self.a(x))))


def optimizer_of(net):
    return torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=4.0)  #-!
    slim = [p for p in net.parameters() if p.ndim < 2]  #+
    rest = [p for p in net.parameters() if p.ndim >= 2]  #+
    return torch.optim.AdamW([{"params": slim, "weight_decay": 0.0}, {"params": rest}], lr=0.01)  #+


torch.manual_seed(0)
net = Net()
opt = optimizer_of(net)
for _ in range(40):
    x = torch.randn(32, 5)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
