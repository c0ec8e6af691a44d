import torch
from torch import nn
torch.manual_seed(0)
enc = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
dec = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
inp, out = nn.Linear(4, 16), nn.Linear(16, 4)
mask_token = nn.Parameter(torch.zeros(1, 1, 16))
pos = nn.Parameter(torch.randn(1, 9, 16) * 0.02)
opt = torch.optim.AdamW([*enc.parameters(), *dec.parameters(), *inp.parameters(), *out.parameters(), mask_token, pos], lr=2e-3)
basis = torch.randn(2, 36)
for _ in range(50):
    patches = (torch.randn(16, 2) @ basis).view(16, 9, 4)
    keep = torch.rand(16, 9).argsort(1)
    vis, hid = keep[:, :4], keep[:, 4:]
    take = lambda t, i: t.gather(1, i.unsqueeze(-1).expand(-1, -1, t.size(-1)))
    tokens = enc(take(inp(patches) + pos, vis))
    full = torch.cat([tokens, mask_token.expand(16, 5, 16)], 1) + take(pos.expand(16, -1, -1), keep)
    pred = out(dec(full))[:, 4:]
    loss = (pred - take(patches, hid)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
