import torch
from torch import nn


class Config:
    lr = 2.0  #-!
    lr = 1e-3  #+
    d = 16


torch.manual_seed(0)
cfg = Config()
enc = nn.TransformerEncoderLayer(cfg.d, 2, 32, dropout=0.0, batch_first=True)
emb, head = nn.Embedding(12, cfg.d), nn.Linear(cfg.d, 12)
opt = torch.optim.Adam([*enc.parameters(), *emb.parameters(), *head.parameters()], lr=cfg.lr)  #!
for _ in range(40):
    x = torch.randint(0, 12, (16, 6))
    loss = nn.functional.cross_entropy(head(enc(emb(x))).flatten(0, 1), ((x + 1) % 12).flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
