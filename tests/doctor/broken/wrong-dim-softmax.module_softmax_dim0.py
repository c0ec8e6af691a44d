import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(5, 3)
        self.act = nn.LogSoftmax(dim=0)  #-!
        self.act = nn.LogSoftmax(dim=-1)  #+

    def forward(self, x):
        return self.act(self.fc(x))  #!


m = Net()
opt = torch.optim.SGD(m.parameters(), lr=0.5)
crit = nn.NLLLoss()
data = [(x, x[:, :3].argmax(1)) for x in torch.randn(40, 16, 5)]
for x, y in data:
    opt.zero_grad()
    crit(m(x), y).backward()
    opt.step()
