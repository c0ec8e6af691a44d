import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(5, 10)
        self.temp = nn.Linear(5, 1)
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        t = self.temp(x).mean().item()  #-!
        t = self.temp(x).mean()  #+
        return self.head(torch.relu(self.body(x))) / (1 + abs(t))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(15):
    x = torch.randn(24, 5)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
