import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = nn.Linear(8, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.l2(torch.relu(self.l1(x)))


net = Net().half()  #-!
net = Net()  #+
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(15):
    x = torch.randn(128, 8)
    y = x.sum(1, keepdim=True)
    x, y = x.half(), y.half()  #-
    loss = nn.functional.mse_loss(net(x), y)
    (loss * 1e-7).backward()  #-!
    loss.backward()  #+
    opt.step()
    opt.zero_grad()
