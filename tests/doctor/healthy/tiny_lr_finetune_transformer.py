import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(30, 16)
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), 2)
cls = nn.Linear(16, 2)
params = [*emb.parameters(), *enc.parameters(), *cls.parameters()]
ids = torch.randint(0, 30, (64, 8))
y = (ids[:, 0] > 14).long()
pre = torch.optim.Adam(params, lr=3e-3)
for _ in range(25):
    pre.zero_grad()
    nn.functional.cross_entropy(cls(enc(emb(ids)).mean(1)), y).backward()
    pre.step()
fine = torch.optim.AdamW(params, lr=2e-6)
for _ in range(25):
    fine.zero_grad()
    nn.functional.cross_entropy(cls(enc(emb(ids)).mean(1)), y).backward()
    fine.step()
