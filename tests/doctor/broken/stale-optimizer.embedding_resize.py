import torch
import torch.nn as nn
torch.manual_seed(0)
class LM(nn.Module):
    def __init__(self, v):
        super().__init__()
        self.tok = nn.Embedding(v, 16)
        self.gru = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Linear(16, v)
    def forward(self, x):
        h, _ = self.gru(self.tok(x))
        return self.head(h)
    def resize(self, v):
        old = self.tok.weight.data
        self.tok = nn.Embedding(v, 16)  #!
        self.tok.weight.data[:old.shape[0]] = old
        self.head = nn.Linear(16, v)  #!
m = LM(10)
opt = torch.optim.AdamW(m.parameters(), lr=1e-2)  #-!
m.resize(14)  #!
opt = torch.optim.AdamW(m.parameters(), lr=1e-2)  #+
seq = torch.arange(200).reshape(8, 25) % 14
for it in range(25):
    logits = m(seq[:, :-1])
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), seq[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
