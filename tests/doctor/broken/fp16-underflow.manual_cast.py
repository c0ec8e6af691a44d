import torch
import torch.nn as nn
torch.manual_seed(0)
class HalfNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(12, 48)
        self.l2 = nn.Linear(48, 1)
    def forward(self, x):
        return self.l2(torch.relu(self.l1(x)))
net = HalfNet().to(torch.float16)  #-!
net = HalfNet()  #+
opt = torch.optim.SGD(net.parameters(), lr=0.5)
X = torch.randn(256, 12)
Y = X[:, :1]
for i in range(30):
    x = X.half()  #-
    x = X  #+
    out = net(x).float()
    loss = 1e-6 * ((out - Y) ** 2).mean()  #-
    loss = ((out - Y) ** 2).mean() * 0.1  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
