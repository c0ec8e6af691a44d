import torch
from torch import nn


class Softmaxed(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 20)
        self.fc2 = nn.Linear(20, 4)
        self.sm = nn.LogSoftmax(dim=0)  #-!
        self.sm = nn.LogSoftmax(dim=1)  #+

    def forward(self, x):
        return self.sm(self.fc2(torch.relu(self.fc1(x))))  #!


torch.manual_seed(0)
m = Softmaxed()
opt = torch.optim.Adam(m.parameters(), 1e-2)
for _ in range(25):
    x = torch.randn(30, 10)
    y = x[:, :4].argmax(1)
    loss = nn.NLLLoss()(m(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
