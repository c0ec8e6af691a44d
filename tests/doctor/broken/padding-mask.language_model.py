import torch
from torch import nn


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(16, 12, padding_idx=0)
        self.rnn = nn.LSTM(12, 12, batch_first=True)
        self.out = nn.Linear(12, 16)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


def batch():
    ids = torch.zeros(8, 11, dtype=torch.long)
    for row in ids:
        n = int(torch.randint(3, 9, (1,)))
        row[:n] = (torch.arange(n) + int(torch.randint(1, 8, (1,)))) % 15 + 1
    return ids


torch.manual_seed(0)
model = LM()
criterion = nn.CrossEntropyLoss()  #-
criterion = nn.CrossEntropyLoss(ignore_index=0)  #+
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    ids = batch()
    logits = model(ids[:, :-1])
    loss = criterion(logits.transpose(1, 2), ids[:, 1:])  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
