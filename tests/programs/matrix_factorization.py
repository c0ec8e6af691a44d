"""Recommendations: embeddings for users and items, an EmbeddingBag of tags, MSE on ratings."""

import torch
import torch.nn as nn

torch.manual_seed(0)
users, items, tags, rank = 20, 30, 8, 4
true = torch.randn(users, rank) @ torch.randn(rank, items)


class Factors(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(users, rank, sparse=True)
        self.item = nn.Embedding(items, rank, sparse=True)
        self.tags = nn.EmbeddingBag(tags, rank, mode="mean")
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, u, i, bag, offsets):
        item = self.item(i) + self.tags(bag, offsets)
        return (self.user(u) * item).sum(dim=1) + self.bias


model = Factors()
sparse = torch.optim.SparseAdam([model.user.weight, model.item.weight], lr=0.05)
dense = torch.optim.Adam([model.bias, *model.tags.parameters()], lr=0.05)
for step in range(120):
    u, i = torch.randint(0, users, (64,)), torch.randint(0, items, (64,))
    bag = torch.stack([i % tags, (i + 3) % tags], dim=1).view(-1)
    offsets = torch.arange(0, 128, 2)
    loss = nn.functional.mse_loss(model(u, i, bag, offsets), true[u, i])
    sparse.zero_grad()
    dense.zero_grad()
    loss.backward()
    sparse.step()
    dense.step()
    if step % 20 == 0 or step == 119:
        print(f"step {step} loss {loss.item():.5f}")
print("sparse gradient:", model.user.weight.grad.is_sparse, model.tags.weight.grad.is_sparse)
