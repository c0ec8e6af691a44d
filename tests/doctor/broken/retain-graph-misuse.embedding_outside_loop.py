import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(20, 8)
head = nn.Linear(8, 3)
opt = torch.optim.Adam([*emb.parameters(), *head.parameters()], lr=1e-2)
ids = torch.randint(0, 20, (32,))
labels = ids % 3
features = emb(ids)  #-!
for step in range(10):
    features = emb(ids)  #+
    loss = nn.functional.cross_entropy(head(features), labels)
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
