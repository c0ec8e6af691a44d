import torch
from torch import nn

torch.manual_seed(0)
MASK = 31
emb = nn.Embedding(32, 24)
pos = nn.Embedding(12, 24)
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(24, 4, 48, batch_first=True), 2)
head = nn.Linear(24, 32)
params = [p for m in (emb, pos, enc, head) for p in m.parameters()]
opt = torch.optim.AdamW(params, lr=1e-3)
for _ in range(20):
    t = torch.randint(0, 30, (8, 12))
    hit = torch.rand(t.shape) < 0.3
    hit[:, 0] = True
    x = t.masked_fill(hit, MASK)
    labels = t.masked_fill(~hit, -100)
    logits = head(enc(emb(x) + pos(torch.arange(12))))
    loss = nn.functional.cross_entropy(logits.reshape(-1, 32), labels.reshape(-1), ignore_index=-100)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
