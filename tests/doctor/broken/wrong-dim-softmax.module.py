import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.softmax = nn.LogSoftmax(dim=0)  #-
        self.softmax = nn.LogSoftmax(dim=-1)  #+

    def forward(self, x):
        return self.softmax(self.fc(x))  #!


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.5)
criterion = nn.NLLLoss()
for i in range(10):
    x = torch.randn(16, 4)
    loss = criterion(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
