import torch
from torch import nn


class MultiModal(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.encoders = {name: nn.Linear(n, 8) for name, n in sizes.items()}  #-!
        self.encoders = nn.ModuleDict({name: nn.Linear(n, 8) for name, n in sizes.items()})  #+
        self.fuse = nn.Linear(8 * len(sizes), 2)

    def forward(self, batch):
        return self.fuse(torch.cat([torch.relu(e(batch[k])) for k, e in self.encoders.items()], 1))


torch.manual_seed(0)
net = MultiModal({"audio": 6, "text": 4})
opt = torch.optim.SGD(net.parameters(), lr=0.1)  #!
for _ in range(40):
    b = {"audio": torch.randn(32, 6), "text": torch.randn(32, 4)}
    y = (b["audio"][:, 0] + b["text"][:, 0] > 0).long()
    loss = nn.functional.cross_entropy(net(b), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
