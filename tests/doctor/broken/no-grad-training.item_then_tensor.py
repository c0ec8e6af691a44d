import torch
import torch.nn as nn

torch.manual_seed(0)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(4, 10)
        self.l2 = nn.Linear(10, 1)

    def forward(self, x):
        return self.l2(torch.relu(self.l1(x)))


net = Regressor()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(50, 4), torch.randn(50, 1)
for epoch in range(12):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss = torch.tensor(loss.item(), requires_grad=True)  #-!
    loss.backward()  #!
    opt.step()
