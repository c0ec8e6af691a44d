import torch
from torch import nn

torch.manual_seed(0)


class LM(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.tok = nn.Embedding(vocab, 12)
        self.rnn = nn.GRU(12, 12, batch_first=True)
        self.out = nn.Linear(12, vocab)

    def forward(self, x):
        return self.out(self.rnn(self.tok(x))[0])

    def resize(self, vocab):
        old = self.tok
        self.tok = nn.Embedding(vocab, 12)  #!
        self.tok.weight.data[: old.num_embeddings] = old.weight.data
        self.out = nn.Linear(12, vocab)  #!


lm = LM(10)
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)  #-!
lm.resize(14)  #!
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)  #+
for i in range(12):
    seq = torch.randint(0, 14, (8, 7))
    loss = nn.functional.cross_entropy(lm(seq[:, :-1]).flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
