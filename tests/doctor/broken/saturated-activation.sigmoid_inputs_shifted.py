import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(4, 24)
        self.l2 = nn.Linear(24, 1)

    def forward(self, x):
        h = self.l1(x)
        h = torch.sigmoid(h * 50 + 40)  #-!
        h = torch.sigmoid(h)  #+
        return self.l2(h)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)  #-
opt = torch.optim.Adam(net.parameters(), lr=0.02)  #+
for _ in range(60):
    x = torch.randn(40, 4)
    y = x[:, :1] * x[:, 1:2]  #-
    y = x[:, :1]  #+
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
