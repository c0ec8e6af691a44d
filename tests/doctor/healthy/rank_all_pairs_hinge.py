import torch
from torch import nn

torch.manual_seed(0)
s = nn.Linear(6, 1)
opt = torch.optim.SGD(s.parameters(), lr=0.1)
for _ in range(25):
    x = torch.randn(20, 6)
    rel = x[:, 0]
    score = s(x).squeeze(1)
    diff = score[:, None] - score[None, :]
    want = (rel[:, None] > rel[None, :]).float()
    loss = (want * torch.relu(1 - diff)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
