import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        return self.out(self.lstm(self.emb(x))[0])


def collate(lengths):
    x = torch.zeros(len(lengths), max(lengths), dtype=torch.long)
    for r, n in enumerate(lengths):
        x[r, :n] = torch.randint(1, 30, (n,))
    y = torch.where(x > 0, x % 3 + 1, 0)
    return x, y


torch.manual_seed(0)
net = Tagger()
opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
for step in range(30):
    x, y = collate(torch.randint(2, 11, (12,)).tolist())
    logits = net(x)
    loss = F.cross_entropy(logits.reshape(-1, 4), y.reshape(-1))  #-!
    loss = F.cross_entropy(logits.reshape(-1, 4), y.reshape(-1), ignore_index=0)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
