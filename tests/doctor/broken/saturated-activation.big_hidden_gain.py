import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(8, 24), nn.Linear(24, 24), nn.Linear(24, 1)

    def forward(self, x):
        h = torch.sigmoid(300 * self.a(x))  #-!
        h = torch.sigmoid(self.a(x))  #+
        h = torch.relu(self.b(h))
        return self.c(h)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.02)
for _ in range(50):
    x = torch.randn(64, 8)
    y = torch.sin(4 * x[:, :1])
    y = x[:, :1] * 3  #+
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
