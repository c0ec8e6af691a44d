import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 16)
        self.dec = nn.Linear(16, 6)

    def reset_decoder(self):
        self.dec = nn.Linear(16, 6)  #-!
        self.dec.reset_parameters()  #+

    def forward(self, x):
        return self.dec(torch.relu(self.enc(x)))


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)  #!
for step in range(50):
    if step == 20:
        net.reset_decoder()  #!
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
