import torch
from torch import nn

torch.manual_seed(0)
enc = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
emb, cls = nn.Embedding(20, 16), nn.Linear(16, 2)
params = [*enc.parameters(), *emb.parameters(), *cls.parameters()]
optimizer = torch.optim.SGD(params, lr=2e-7)  #-!
optimizer = torch.optim.Adam(params, lr=2e-3)  #+
for step in range(40):
    tokens = torch.randint(0, 20, (16, 6))
    y = (tokens[:, 0] > 9).long()
    loss = nn.functional.cross_entropy(cls(enc(emb(tokens))[:, 0]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
