import torch
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 24)
        self.fc2 = nn.Linear(24, 3)

    @torch.no_grad()  #-!
    def forward(self, x):  #!
        return self.fc2(F.relu(self.fc1(x)))

torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(64, 8)
y = torch.randint(0, 3, (64,))
for i in range(30):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()  #!
    opt.step()
