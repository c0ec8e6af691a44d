import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 12), nn.Linear(12, 3)

    def forward(self, x):
        h = torch.relu(self.a(x))
        h = h - h  #-!
        return self.b(h)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(40):
    x = torch.randn(40, 6)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
