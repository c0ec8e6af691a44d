import torch
from torch import nn


class AttentionPool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, h):  # (batch, time, d)
        w = torch.softmax(self.score(h), dim=0)  #-!
        w = torch.softmax(self.score(h), dim=1)  #+
        return (w * h).sum(1)


torch.manual_seed(0)
gru, pool, fc = nn.GRU(4, 12, batch_first=True), AttentionPool(12), nn.Linear(12, 2)
opt = torch.optim.Adam([*gru.parameters(), *pool.parameters(), *fc.parameters()], 5e-3)
for i in range(30):
    x = torch.randn(20, 7, 4)
    y = (x[:, :, 0].sum(1) > 0).long()
    loss = nn.functional.cross_entropy(fc(pool(gru(x)[0])), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
