import torch
from torch import nn
torch.manual_seed(0)
V, d = 12, 16
se, te, pos = nn.Embedding(V, d), nn.Embedding(V, d), nn.Parameter(torch.randn(10, d) * 0.1)
t, out = nn.Transformer(d, 2, 1, 1, 32, dropout=0.0, batch_first=True), nn.Linear(d, V)
opt = torch.optim.Adam([*se.parameters(), *te.parameters(), pos, *t.parameters(), *out.parameters()], lr=3e-3)
for _ in range(40):
    s = torch.randint(1, V, (16, 8))
    mask = nn.Transformer.generate_square_subsequent_mask(7)
    h = t(se(s) + pos[:8], te(s[:, :-1]) + pos[:7], tgt_mask=mask)
    loss = nn.functional.cross_entropy(out(h).flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
