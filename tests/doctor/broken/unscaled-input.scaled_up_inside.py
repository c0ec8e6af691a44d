import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16, 32)
        self.fc2 = nn.Linear(32, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x * 100.0)))  #-!
        return self.fc2(torch.tanh(self.fc1(x)))  #+


torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(80):
    x = torch.randn(32, 16)
    y = x[:, :1] * x[:, 1:2]  #-
    y = x[:, :1]  #+
    loss = nn.functional.mse_loss(net(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
