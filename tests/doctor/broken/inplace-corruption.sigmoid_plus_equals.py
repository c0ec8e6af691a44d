import torch
from torch import nn

torch.manual_seed(0)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.b = nn.Linear(4, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        g = torch.sigmoid(self.a(x))
        g += 0.1 * self.b(x)  #-!
        g = g + 0.1 * self.b(x)  #+
        return self.out(g)


model = Gate()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = model(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
