import torch
from torch import nn

torch.manual_seed(0)


class LogReg(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, 1)

    def forward(self, x):
        return torch.sigmoid(self.lin(x))

    def loss(self, x, t):
        p = self.forward(x)
        p = p.squeeze(-1)  #+
        return -(t * torch.log(p + 1e-8) + (1 - t) * torch.log(1 - p + 1e-8)).mean()  #!


model = LogReg(6)
opt = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.randn(60, 6)
t = (x[:, 0] > 0).float()
for _ in range(20):
    loss = model.loss(x, t)
    opt.zero_grad()
    loss.backward()
    opt.step()
