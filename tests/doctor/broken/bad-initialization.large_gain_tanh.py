import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(12, 32)
        self.fc2 = nn.Linear(32, 32)
        self.out = nn.Linear(32, 1)
        nn.init.orthogonal_(self.fc1.weight, gain=30.0)  #-!
        nn.init.orthogonal_(self.fc2.weight, gain=30.0)  #-!

    def forward(self, x):
        x = torch.tanh(self.fc1(x))  #!
        x = torch.tanh(self.fc2(x))  #!
        return self.out(x)


torch.manual_seed(0)
net = Policy()
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for it in range(80):
    x = torch.randn(64, 12)
    y = (x[:, :1] * x[:, 1:2])
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
