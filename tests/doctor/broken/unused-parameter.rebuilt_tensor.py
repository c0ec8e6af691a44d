import torch
from torch import nn


def pool(features):
    rows = []
    for f in features:
        rows.append(torch.tensor(f.max(0)[0].tolist()))  #-!
        rows.append(f.max(0)[0])  #+
    return torch.stack(rows)


torch.manual_seed(0)
conv = nn.Linear(3, 16)
head = nn.Linear(16, 2)
opt = torch.optim.Adam(list(conv.parameters()) + list(head.parameters()), lr=1e-2)
for _ in range(10):
    clouds = torch.randn(8, 20, 3)
    y = (clouds.abs().amax((1, 2)) > 2.5).long()
    logits = head(pool(torch.relu(conv(clouds))))
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
