import torch
import torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(1, 8, 3)
        self.f = nn.Linear(8 * 36, 4)
    def forward(self, x):
        return self.f(torch.tanh(self.c(x)).flatten(1))  #!
imgs = torch.randint(0, 256, (128, 1, 8, 8)).float()
labels = imgs[:, 0, :4, :4].mean((1, 2)).argsort().argsort() // 32
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for e in range(40):
    out = net(imgs)  #-!
    out = net(imgs / 127.5 - 1)  #+
    loss = nn.functional.cross_entropy(out, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
