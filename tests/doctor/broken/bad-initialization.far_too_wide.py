import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 64)
        self.b = nn.Linear(64, 64)
        self.c = nn.Linear(64, 4)
        for w in (self.a.weight, self.b.weight, self.c.weight):
            nn.init.normal_(w, std=20.0)  #-!
            nn.init.normal_(w, std=0.5)  #+

    def forward(self, x):
        return self.c(torch.sigmoid(self.b(torch.sigmoid(self.a(x)))))


net = MLP()
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.randn(100, 8)
y = torch.randint(0, 4, (100,))
for i in range(20):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
