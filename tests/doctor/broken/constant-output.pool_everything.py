import torch
import torch.nn as nn


class SetNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi = nn.Linear(3, 16)
        self.rho = nn.Linear(16, 2)

    def forward(self, sets):
        h = torch.relu(self.phi(sets))
        h = h.mean((0, 1), keepdim=True).expand(len(sets), 1, -1)  #-!
        h = h.mean(1, keepdim=True)  #+
        return self.rho(h).squeeze(1)


torch.manual_seed(0)
net = SetNet()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(50):
    s = torch.randn(32, 6, 3)
    y = (s.mean((1, 2)) > 0).long()
    loss = nn.functional.cross_entropy(net(s), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
