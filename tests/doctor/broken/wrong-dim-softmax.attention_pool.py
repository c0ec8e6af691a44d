import torch
from torch import nn


class AttentionPool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, x):
        s = self.score(x).squeeze(-1)
        w = torch.softmax(s, dim=0)  #-!
        w = torch.softmax(s, dim=1)  #+
        return (w.unsqueeze(-1) * x).sum(1)


torch.manual_seed(0)
model = nn.Sequential(AttentionPool(6), nn.Linear(6, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 7, 6)
    y = (x[:, :, 0].max(1).values > 1.3).long()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
