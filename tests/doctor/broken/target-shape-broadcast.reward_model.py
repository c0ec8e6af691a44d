import torch
from torch import nn


class RewardModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.head = nn.EmbeddingBag(40, 12), nn.Linear(12, 1)

    def forward(self, ids):
        return self.head(self.emb(ids))


torch.manual_seed(0)
rm = RewardModel()
opt = torch.optim.Adam(rm.parameters(), lr=1e-2)
for _ in range(40):
    ids = torch.randint(0, 40, (16, 6))
    score = (ids < 20).float().mean(1)
    diff = rm(ids) - score  #-!
    diff = rm(ids).view(-1) - score  #+
    loss = (diff ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
