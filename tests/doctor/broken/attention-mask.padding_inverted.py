import torch
from torch import nn

torch.manual_seed(0)
PAD = 0
emb = nn.Embedding(12, 16, padding_idx=PAD)
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0), 1)
head = nn.Linear(16, 2)
opt = torch.optim.Adam([*emb.parameters(), *enc.parameters(), *head.parameters()], 1e-3)
for _ in range(12):
    x = torch.randint(1, 12, (8, 7))
    for r, n in enumerate(torch.randint(2, 7, (8,)).tolist()):
        x[r, n:] = PAD
    mask = x != PAD  #-!
    mask = x == PAD  #+
    h = enc(emb(x), src_key_padding_mask=mask)  #!
    y = (x[:, 0] > 5).long()
    loss = nn.functional.cross_entropy(head(h[:, 0]), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
