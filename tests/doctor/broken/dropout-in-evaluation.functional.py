import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 32), nn.Linear(32, 2)

    def forward(self, x):
        h = F.relu(self.a(x))
        h = F.dropout(h, 0.5)  #-!
        h = F.dropout(h, 0.5, training=self.training)  #+
        return self.b(h)


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    net.train()
    for _ in range(5):
        x = torch.randn(32, 8)
        loss = F.cross_entropy(net(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        x = torch.randn(64, 8)
        print((net(x).argmax(1) == (x[:, 0] > 0)).float().mean().item())
