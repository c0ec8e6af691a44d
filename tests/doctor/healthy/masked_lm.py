import torch
from torch import nn

torch.manual_seed(0)
emb, enc, out = nn.Embedding(22, 16), nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), nn.Linear(16, 20)
ps = [p for m in (emb, enc, out) for p in m.parameters()]
opt = torch.optim.Adam(ps, 3e-3)
for _ in range(40):
    ids = torch.randint(0, 4, (16, 1)).expand(16, 8) * 5
    mask = torch.rand(16, 8) < 0.3
    logits = out(enc(emb(ids.masked_fill(mask, 21))))
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), ids.masked_fill(~mask, -100), ignore_index=-100)
    opt.zero_grad(); loss.backward(); opt.step()
