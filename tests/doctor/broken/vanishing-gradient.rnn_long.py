import torch
import torch.nn as nn
torch.manual_seed(0)
class RNN(nn.Module):
    def __init__(self, h=16):
        super().__init__()
        self.h = h
        self.ih = nn.Linear(1, h)
        self.hh = nn.Linear(h, h)
        self.o = nn.Linear(h, 2)
    def forward(self, x):
        s = torch.zeros(x.shape[0], self.h)
        for t in range(x.shape[1]):
            s = torch.sigmoid(self.ih(x[:, t]) + self.hh(s))  #-!
            s = 0.95 * s + torch.tanh(self.ih(x[:, t]) + 0.1 * self.hh(s))  #+
        return self.o(s)
net = RNN()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(60):
    x = torch.zeros(32, 25, 1)
    y = torch.randint(0, 2, (32,))
    x[:, 0, 0] = y.float() * 2 - 1
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
