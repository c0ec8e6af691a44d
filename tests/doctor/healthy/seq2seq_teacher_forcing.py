import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
V, H = 12, 16
emb = nn.Embedding(V, H)
enc = nn.GRU(H, H, batch_first=True)
cell = nn.GRUCell(H, H)
out = nn.Linear(H, V)
opt = torch.optim.Adam([p for m in (emb, enc, cell, out) for p in m.parameters()], lr=1e-2)
for step in range(15):
    src = torch.randint(1, V, (16, 5))
    tgt = src.flip(1)
    _, h = enc(emb(src))
    h, tok, loss = h[0], torch.zeros(16, dtype=torch.long), 0
    for t in range(5):
        h = cell(emb(tok), h)
        logits = out(h)
        loss = loss + nn.functional.cross_entropy(logits, tgt[:, t])
        tok = tgt[:, t] if random.random() < 0.5 else logits.argmax(1).detach()
    opt.zero_grad()
    (loss / 5).backward()
    nn.utils.clip_grad_norm_(cell.parameters(), 1.0)
    opt.step()
