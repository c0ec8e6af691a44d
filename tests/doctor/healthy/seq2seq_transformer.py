import torch
from torch import nn

torch.manual_seed(0)
PAD, BOS = 0, 1
emb = nn.Embedding(20, 16, padding_idx=PAD)
tr = nn.Transformer(16, 2, 1, 1, 32, batch_first=True)
out = nn.Linear(16, 20)
params = [*emb.parameters(), *tr.parameters(), *out.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
for _ in range(15):
    src = torch.randint(2, 20, (6, 8))
    for r, n in enumerate(torch.randint(4, 9, (6,)).tolist()):
        src[r, n:] = PAD
    tgt = torch.cat([torch.full((6, 1), BOS), src.flip(1)], 1)
    tgt_in, tgt_out = tgt[:, :-1], tgt[:, 1:]
    mask = tr.generate_square_subsequent_mask(tgt_in.shape[1])
    h = tr(emb(src), emb(tgt_in), tgt_mask=mask, src_key_padding_mask=src == PAD,
           tgt_key_padding_mask=(tgt_in == PAD).float().masked_fill(tgt_in == PAD, float("-inf")),
           memory_key_padding_mask=src == PAD)
    loss = nn.functional.cross_entropy(out(h).reshape(-1, 20), tgt_out.reshape(-1), ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    opt.step()
