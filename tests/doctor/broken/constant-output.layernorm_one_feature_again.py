import torch
from torch import nn

torch.manual_seed(0)


class Reg(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.norm = nn.LayerNorm(1)  #-

    def forward(self, x):
        return self.norm(self.body(x))  #-!
        return self.body(x)  #+


net = Reg()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(40):
    x = torch.randn(64, 4)
    y = x.sum(1, keepdim=True)
    loss = nn.functional.mse_loss(net(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
