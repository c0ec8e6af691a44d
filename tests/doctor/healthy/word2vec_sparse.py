import torch
from torch import nn


class SkipGram(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.u = nn.Embedding(vocab, dim, sparse=True)
        self.v = nn.Embedding(vocab, dim, sparse=True)
        nn.init.uniform_(self.u.weight, -0.5 / dim, 0.5 / dim)
        nn.init.zeros_(self.v.weight)

    def forward(self, center, context, negatives):
        u = self.u(center)
        pos = (u * self.v(context)).sum(1)
        neg = torch.bmm(self.v(negatives), u.unsqueeze(2)).squeeze(2)
        ls = nn.functional.logsigmoid
        return -(ls(pos) + ls(-neg).sum(1)).mean()


torch.manual_seed(0)
model = SkipGram(50, 8)
opt = torch.optim.SparseAdam(list(model.parameters()), lr=0.01)
for _ in range(30):
    c = torch.randint(0, 50, (32,))
    loss = model(c, (c + 1) % 50, torch.randint(0, 50, (32, 4)))
    opt.zero_grad()
    loss.backward()
    opt.step()
