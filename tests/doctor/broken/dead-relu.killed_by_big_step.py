import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 24)
        self.fc2 = nn.Linear(24, 24)
        self.fc3 = nn.Linear(24, 1)

    def forward(self, x):
        x = torch.relu(self.fc1(x))  #!
        x = torch.relu(self.fc2(x) - 30)  #-!
        x = torch.relu(self.fc2(x))  #+
        return self.fc3(x)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for i in range(50):
    x = torch.randn(64, 6)
    y = x.sum(1, keepdim=True)
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
