import torch
import torch.nn as nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
        self.right = nn.Sequential(nn.Linear(6, 16), nn.ReLU())  #-!
        self.right = self.left  #+

    def forward(self, a, b):
        return (self.left(a) - self.left(b)).pow(2).sum(1)


torch.manual_seed(0)
net = Siamese()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(25):
    a, b = torch.randn(32, 6), torch.randn(32, 6)
    same = (a[:, 0] * b[:, 0] > 0).float()
    d = net(a, b)
    loss = (same * d + (1 - same) * torch.relu(2 - d)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
