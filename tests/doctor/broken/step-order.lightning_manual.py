import torch
from torch import nn


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(6, 2)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-2)

    def training_step(self, batch):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.opt.zero_grad()  #+
        loss.backward()
        self.opt.zero_grad()  #-!
        self.opt.step()
        return loss


torch.manual_seed(0)
m = Module()
for _ in range(12):
    x = torch.randn(16, 6)
    m.training_step((x, (x[:, 0] > 0).long()))
