import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))

    def forward(self, x):
        return self.net(x)

    def evaluate(self, x, y):
        self.eval()  #+
        with torch.no_grad():  #!
            acc = (self(x).argmax(1) == y).float().mean().item()  #!
        self.train()  #+
        return acc


torch.manual_seed(0)
m = Model()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
X = torch.randn(200, 6)
Y = (X[:, 0] > 0).long()
for epoch in range(6):
    for i in range(0, 160, 40):
        opt.zero_grad()
        nn.functional.cross_entropy(m(X[i : i + 40]), Y[i : i + 40]).backward()
        opt.step()
    m.evaluate(X[160:], Y[160:])
