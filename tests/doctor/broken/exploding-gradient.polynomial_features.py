import torch
import torch.nn as nn
torch.manual_seed(0)
class CubicNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 32)
        self.b = nn.Linear(32, 32)
        self.c = nn.Linear(32, 1)
    def forward(self, x):
        x = (3 * self.a(x)) ** 3  #-
        x = (3 * self.b(x)) ** 3  #-!
        x = torch.tanh(self.a(x))  #+
        x = torch.tanh(self.b(x))  #+
        return self.c(x)
net = CubicNet()
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for i in range(25):
    x = torch.randn(32, 4)
    y = x.sum(1, keepdim=True)
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
