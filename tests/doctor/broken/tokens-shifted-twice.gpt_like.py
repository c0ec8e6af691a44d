import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.emb, self.rnn, self.out = nn.Embedding(v, d), nn.GRU(d, d, batch_first=True), nn.Linear(d, v)

    def forward(self, ids, labels):
        logits = self.out(self.rnn(self.emb(ids))[0])
        logits, labels = logits[:, :-1], labels[:, 1:]  #-
        return nn.functional.cross_entropy(logits.reshape(-1, 20), labels.reshape(-1))  #!


torch.manual_seed(0)
model = LM(20, 12)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    text = torch.randint(0, 20, (8, 13))
    loss = model(text[:, :-1], text[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
