import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
blocks = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.1) for _ in range(3))
emb, head = nn.Embedding(12, 16), nn.Linear(16, 2)
opt = torch.optim.AdamW([*blocks.parameters(), *emb.parameters(), *head.parameters()], 1e-3)
for _ in range(12):
    t = torch.randint(0, 12, (8, 6))
    h = emb(t)
    for b in blocks:
        h = checkpoint(b, h, use_reentrant=False)
    loss = nn.functional.cross_entropy(head(h.mean(1)), (t[:, 0] > 5).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
