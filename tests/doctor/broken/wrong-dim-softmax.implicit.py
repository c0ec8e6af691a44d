import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 4)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(h), 0)  #-!
        return F.log_softmax(self.fc2(h), 1)  #+


torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = nn.NLLLoss()
for e in range(15):
    x = torch.randn(24, 8)
    loss = crit(net(x), x[:, :4].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
