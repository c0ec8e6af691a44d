import torch, torch.nn as nn
torch.manual_seed(0)
PAD, BOS, V = 0, 1, 12
emb = nn.Embedding(V, 16, padding_idx=PAD)
enc = nn.GRU(16, 32, batch_first=True); dec = nn.GRU(16, 32, batch_first=True); out = nn.Linear(32, V)
ps = [p for m in (emb, enc, dec, out) for p in m.parameters()]
opt = torch.optim.Adam(ps, lr=5e-3)
crit = nn.CrossEntropyLoss(ignore_index=PAD)
for it in range(40):
    n = torch.randint(3, 8, (16,))
    src = torch.zeros(16, 8, dtype=torch.long)
    for i, k in enumerate(n): src[i, :k] = torch.randint(2, V, (int(k),))
    packed = nn.utils.rnn.pack_padded_sequence(emb(src), n, batch_first=True, enforce_sorted=False)
    _, h = enc(packed)
    inp = torch.cat([torch.full((16, 1), BOS), src[:, :-1]], 1)
    o, _ = dec(emb(inp), h)
    loss = crit(out(o).reshape(-1, V), src.reshape(-1))
    opt.zero_grad(); loss.backward()
    nn.utils.clip_grad_norm_(ps, 1.0)
    opt.step()
