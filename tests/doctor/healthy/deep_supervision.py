import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)])
        self.heads = nn.ModuleList([nn.Linear(8, 2) for _ in range(4)])

    def forward(self, x):
        outs = []
        for s, h in zip(self.stages, self.heads):
            x = torch.tanh(s(x))
            outs.append(h(x))
        return outs


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(60):
    x = torch.randn(64, 8)
    y = (x.sum(1) > 0).long()
    loss = sum(nn.functional.cross_entropy(o, y) for o in net(x))
    opt.zero_grad(); loss.backward(); opt.step()
