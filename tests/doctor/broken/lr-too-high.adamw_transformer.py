import torch
import torch.nn as nn
from dataclasses import dataclass


@dataclass
class Config:
    lr: float = 1.0  #-!
    lr: float = 1e-3  #+
    steps: int = 60
    dim: int = 32


torch.manual_seed(0)
cfg = Config()
emb = nn.Embedding(20, cfg.dim)
enc = nn.TransformerEncoderLayer(cfg.dim, 4, 64, dropout=0.0, batch_first=True)
out = nn.Linear(cfg.dim, 20)
params = [p for m in (emb, enc, out) for p in m.parameters()]
opt = torch.optim.AdamW(params, lr=cfg.lr)  #!
for _ in range(cfg.steps):
    ids = torch.randint(0, 20, (16, 8))
    logits = out(enc(emb(ids)))
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), (ids + 1) % 20)
    opt.zero_grad()
    loss.backward()
    opt.step()
