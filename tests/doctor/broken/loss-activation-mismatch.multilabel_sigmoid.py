import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.EmbeddingBag(30, 16)
        self.fc = nn.Linear(16, 5)

    def forward(self, ids):
        return torch.sigmoid(self.fc(self.emb(ids)))  #-!
        return self.fc(self.emb(ids))  #+


m = Tagger()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for _ in range(15):
    ids = torch.randint(0, 30, (16, 6))
    y = torch.stack([(ids % 5 == k).any(1) for k in range(5)], 1).float()
    loss = F.binary_cross_entropy_with_logits(m(ids), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
