import torch
from torch import nn


class SetNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi = nn.Linear(4, 16)
        self.rho = nn.Linear(16, 1)

    def forward(self, x):
        h = torch.relu(self.phi(x))
        h = h.mean(0, keepdim=True).expand_as(h)  #-!
        return self.rho(h)


torch.manual_seed(0)
net = SetNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(40):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(net(x), x[:, :1])  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
