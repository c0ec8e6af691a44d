import torch
import torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 10), nn.Linear(10, 1)
    def forward(self, x):
        h = torch.tanh(self.a(x))
        mask = torch.rand_like(h) > 0.3
        h.mul_(mask)  #-!
        h = h * mask  #+
        return self.b(h)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(5):
    x = torch.randn(16, 5)
    loss = net(x).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
