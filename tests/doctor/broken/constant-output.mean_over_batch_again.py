import torch
from torch import nn

torch.manual_seed(0)


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(5, 16)
        self.g = nn.Linear(16, 1)

    def forward(self, x):
        h = torch.relu(self.f(x)).mean(0, keepdim=True)  #-!
        h = torch.relu(self.f(x))  #+
        return self.g(h).expand(x.size(0), 1)  #!


net = Pool()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(40):
    x = torch.randn(50, 5)
    y = x.sum(1, keepdim=True)
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
