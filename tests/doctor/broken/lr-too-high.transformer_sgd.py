import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
emb = nn.Embedding(20, 16)
head = nn.Linear(16, 20)
params = [*layer.parameters(), *emb.parameters(), *head.parameters()]
optimizer = torch.optim.AdamW(params, lr=3.0)  #-!
optimizer = torch.optim.AdamW(params, lr=3e-3)  #+
mask = torch.triu(torch.full((10, 10), float("-inf")), 1)
tokens = torch.randint(0, 20, (8, 11))
for _ in range(40):
    logits = head(layer(emb(tokens[:, :-1]), src_mask=mask))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
