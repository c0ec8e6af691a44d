import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.second = nn.Linear(12, 12)  #!
        self.head = nn.Linear(12, 2)

    def forward(self, x):
        h = torch.relu(self.first(x))
        extra = torch.relu(self.second(h))
        return self.head(h)  #-
        return self.head(extra)  #+


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(64, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
for _ in range(15):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
