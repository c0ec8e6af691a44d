import torch
from torch import nn

torch.manual_seed(0)


class PoissonNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return torch.exp(self.fc(x))  #-!
        return torch.exp(self.fc(x).clamp(max=8.0))  #+


x = torch.randn(200, 3)
x[17] = torch.tensor([3000.0, -2500.0, 4000.0])  #-
counts = torch.poisson(torch.exp(0.5 * x[:, :1].clamp(-2, 2)))
net = PoissonNet()
with torch.no_grad():
    net.fc.weight.copy_(torch.tensor([[0.3, -0.1, 0.2]]))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(40):
    rate = net(x)
    loss = (rate - counts * torch.log(rate + 1e-8)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
