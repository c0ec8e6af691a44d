import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 20)
        self.fc2 = nn.Linear(20, 20)
        self.fc3 = nn.Linear(20, 1)

    def forward(self, x):
        x = torch.tanh(self.fc1(x))
        x = torch.tanh(self.fc2(x) * 200)  #-!
        x = torch.tanh(self.fc2(x))  #+
        return self.fc3(x)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(50):
    x = torch.randn(64, 8)
    y = torch.sin(3 * x).sum(1, keepdim=True)
    y = x.sum(1, keepdim=True)  #+
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
