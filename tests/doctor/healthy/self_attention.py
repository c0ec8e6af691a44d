import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
embed, head = nn.Embedding(20, 16), nn.Linear(16, 20)
opt = torch.optim.AdamW([*layer.parameters(), *embed.parameters(), *head.parameters()], lr=3e-3)
for _ in range(12):
    ids = torch.randint(1, 20, (6, 9))
    mask = nn.Transformer.generate_square_subsequent_mask(8)
    out = head(layer(embed(ids[:, :-1]), src_mask=mask, is_causal=True))
    loss = nn.functional.cross_entropy(out.flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    opt.step()
