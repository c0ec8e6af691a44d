import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.emb = nn.Embedding(vocab, 12)
        self.rnn = nn.LSTM(12, 12, batch_first=True)
        self.head = nn.Linear(12, vocab)

    def forward(self, x):
        return self.head(self.rnn(self.emb(x))[0])

    def resize(self, vocab):
        self.emb = nn.Embedding(vocab, 12)  #!
        self.head = nn.Linear(12, vocab)  #!


torch.manual_seed(0)
lm = LM(20)
lm.resize(25)  #+
opt = torch.optim.Adam(lm.parameters(), 1e-3)
lm.resize(25)  #-!
for _ in range(15):
    t = torch.randint(0, 25, (4, 9))
    loss = nn.functional.cross_entropy(lm(t[:, :-1]).flatten(0, 1), t[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
