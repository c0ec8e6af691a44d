import torch
import torch.nn as nn


class LearnedQueries(nn.Module):
    def __init__(self, n=3, d=8):
        super().__init__()
        self.queries = torch.randn(n, d, requires_grad=True)  #-!
        self.queries = nn.Parameter(torch.randn(n, d))  #+
        self.att = nn.MultiheadAttention(d, 2, batch_first=True)
        self.out = nn.Linear(n * d, 2)

    def forward(self, x):
        q = self.queries.expand(len(x), -1, -1)
        return self.out(self.att(q, x, x)[0].flatten(1))


torch.manual_seed(0)
net = LearnedQueries()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.0)  #!
for _ in range(25):
    x = torch.randn(16, 5, 8)
    y = (x.sum((1, 2)) > 0).long()
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
