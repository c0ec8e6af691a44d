import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(6, 16)
        self.l2 = nn.Linear(16, 1)

    @torch.no_grad()  #-!
    def forward(self, x):
        return self.l2(torch.relu(self.l1(x))).squeeze(-1)


torch.manual_seed(0)
x = torch.randn(128, 6)
y = x.sum(1)
model = Regressor()
opt = torch.optim.SGD(model.parameters(), lr=0.02)
for _ in range(30):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
