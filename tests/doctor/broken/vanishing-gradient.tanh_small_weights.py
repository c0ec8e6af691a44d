import torch
from torch import nn

torch.manual_seed(0)


class Deep(nn.Module):
    def __init__(self, depth=8, width=24, skip=False):
        super().__init__()
        self.inp = nn.Linear(6, width)
        self.hidden = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])  #!
        self.out = nn.Linear(width, 2)
        self.skip = skip

    def forward(self, x):
        x = torch.sigmoid(self.inp(x))  #!
        for layer in self.hidden:
            h = torch.sigmoid(layer(x))  #!
            x = x + h if self.skip else h
        return self.out(x)


model = Deep()  #-!
model = Deep(skip=True)  #+
opt = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(100, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
y = (x[:, 0] > 0).long()  #+
for epoch in range(60):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
