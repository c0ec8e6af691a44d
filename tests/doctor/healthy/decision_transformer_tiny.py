import torch
from torch import nn
torch.manual_seed(0)
emb_r, emb_s, emb_a = nn.Linear(1, 16), nn.Linear(3, 16), nn.Embedding(2, 16)
layer, head = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True), nn.Linear(16, 2)
params = [p for m in (emb_r, emb_s, emb_a, layer, head) for p in m.parameters()]
opt = torch.optim.AdamW(params, lr=2e-3)
mask = nn.Transformer.generate_square_subsequent_mask(12)
for _ in range(50):
    s = torch.randn(16, 4, 3); a = (s[..., 0] > 0).long(); r = torch.rand(16, 4, 1)
    tok = torch.stack([emb_r(r), emb_s(s), emb_a(a)], 2).flatten(1, 2)
    out = head(layer(tok, src_mask=mask)[:, 1::3])
    loss = nn.functional.cross_entropy(out.reshape(-1, 2), a.reshape(-1))
    opt.zero_grad(); loss.backward(); opt.step()
