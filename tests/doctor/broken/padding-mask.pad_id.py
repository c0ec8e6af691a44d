import torch
import torch.nn.functional as F
from torch import nn

PAD = 3
torch.manual_seed(0)
net = nn.Sequential(nn.Embedding(12, 10, padding_idx=PAD), nn.Linear(10, 12))
opt = torch.optim.SGD(net.parameters(), lr=0.2)


def loss_of(ids):
    logits = net(ids[:, :-1]).flatten(0, 1)
    return F.cross_entropy(logits, ids[:, 1:].flatten())  #-!
    return F.cross_entropy(logits, ids[:, 1:].flatten(), ignore_index=PAD)  #+


for _ in range(12):
    ids = torch.randint(4, 12, (6, 10))
    ids[:3, 6:] = PAD
    loss = loss_of(ids)
    opt.zero_grad()
    loss.backward()
    opt.step()
