import torch
from torch import nn

torch.manual_seed(0)


def masked_mean(x, lengths):
    mask = (torch.arange(x.size(1))[None] < lengths[:, None]).float()
    return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)  #-!
    return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)  #+


emb, fc = nn.Embedding(15, 8), nn.Linear(8, 2)
opt = torch.optim.Adam([*emb.parameters(), *fc.parameters()], lr=1e-2)
for step in range(12):
    ids = torch.randint(0, 15, (10, 6))
    lengths = torch.randint(1, 7, (10,))
    if step == 4:
        lengths[3] = 0
    loss = nn.functional.cross_entropy(fc(masked_mean(emb(ids), lengths)), ids[:, 0] % 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
