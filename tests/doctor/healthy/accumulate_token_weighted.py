import torch
from torch import nn

torch.manual_seed(0)
emb, out = nn.Embedding(20, 16), nn.Linear(16, 20)
opt = torch.optim.Adam([*emb.parameters(), *out.parameters()], lr=1e-2)
for step in range(10):
    micro = [torch.randint(0, 20, (4, int(n))) for n in torch.randint(4, 12, (3,))]
    n_tokens = sum(m[:, 1:].numel() for m in micro)
    for m in micro:
        logits = out(emb(m[:, :-1]))
        loss = nn.functional.cross_entropy(logits.reshape(-1, 20), m[:, 1:].reshape(-1), reduction="sum")
        (loss / n_tokens).backward()
    opt.step()
    opt.zero_grad()
