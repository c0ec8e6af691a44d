import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 32)
        self.fc2 = nn.Linear(32, 2)
        nn.init.constant_(self.fc1.bias, -10.0)  #-!

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(100, 6)
y = (x[:, 0] > 0).long()
for _ in range(25):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
