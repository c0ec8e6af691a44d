import torch
from torch import nn
import torch.nn.functional as F


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.empty(8, 20))
        nn.init.xavier_uniform_(self.w)
        self.b1, self.b2 = nn.Parameter(torch.zeros(8)), nn.Parameter(torch.zeros(20))

    def forward(self, x):
        h = torch.sigmoid(F.linear(x, self.w, self.b1))
        return torch.sigmoid(F.linear(h, self.w.t(), self.b2))


torch.manual_seed(0)
net = Tied()
opt = torch.optim.Adam(net.parameters(), 5e-3)
data = (torch.rand(100, 20) < 0.3).float()
for e in range(40):
    b = data[torch.randint(0, 100, (32,))]
    noisy = b * (torch.rand_like(b) > 0.2)
    loss = F.binary_cross_entropy(net(noisy), b)
    opt.zero_grad()
    loss.backward()
    opt.step()
