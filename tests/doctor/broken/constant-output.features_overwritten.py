import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.node = nn.Linear(4, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        h = torch.relu(self.node(x))
        pooled = h.sum(0, keepdim=True)  #-!
        pooled = h.sum(1)  #+
        return self.out(pooled).expand(x.size(0), 1)  #-!
        return self.out(pooled)  #+


torch.manual_seed(0)
net = Graph()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for _ in range(60):
    x = torch.randn(20, 6, 4)
    x_in = x.mean(1)  #-
    x_in = x  #+
    y = x[:, :, 0].mean(1, keepdim=True)
    loss = nn.functional.mse_loss(net(x_in), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
