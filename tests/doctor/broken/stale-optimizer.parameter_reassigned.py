import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(6, 1) * 0.1)
    def forward(self, x): return x @ self.w
    def reset(self):
        self.w = nn.Parameter(torch.zeros(6, 1))  #-!
        with torch.no_grad(): self.w.zero_()  #+
torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)  #-!
opt = torch.optim.SGD(net.parameters(), lr=0.1)  #+
net.reset()  #-!
net.reset()  #+
for i in range(30):
    x = torch.randn(32, 6)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
