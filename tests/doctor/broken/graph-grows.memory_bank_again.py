import torch
from torch import nn

torch.manual_seed(0)


class MemoryNet(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.enc = nn.Linear(4, d)
        self.gate = nn.Linear(2 * d, d)
        self.head = nn.Linear(d, 1)
        self.memory = torch.zeros(d)

    def forward(self, x):
        z = torch.tanh(self.enc(x))
        m = self.memory.expand(x.shape[0], -1)  #!
        z = z + torch.sigmoid(self.gate(torch.cat([z, m], 1)))  #!
        self.memory = 0.9 * self.memory + 0.1 * z.mean(0)  #-!
        self.memory = 0.9 * self.memory + 0.1 * z.mean(0).detach()  #+
        return self.head(z)


net = MemoryNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(10):
    x = torch.randn(16, 4)
    loss = (net(x) - x.mean(1, keepdim=True)).square().mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-!
    loss.backward()  #+
    opt.step()
