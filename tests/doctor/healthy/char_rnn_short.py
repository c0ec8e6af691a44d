import torch, torch.nn as nn
torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog. " * 6
chars = sorted(set(text)); ix = {c: i for i, c in enumerate(chars)}
data = torch.tensor([ix[c] for c in text])
class RNN(nn.Module):
    def __init__(self, v, h=32):
        super().__init__()
        self.h = h
        self.i2h = nn.Linear(v + h, h); self.i2o = nn.Linear(v + h, v)
    def forward(self, x, s):
        c = torch.cat([x, s], 1); return self.i2o(c), torch.tanh(self.i2h(c))
m = RNN(len(chars)); opt = torch.optim.SGD(m.parameters(), lr=0.05)
for it in range(25):
    k = int(torch.randint(0, len(data) - 26, ())); seq = data[k:k + 26]
    s = torch.zeros(1, m.h); loss = 0
    for t in range(25):
        x = nn.functional.one_hot(seq[t:t + 1], len(chars)).float()
        o, s = m(x, s)
        loss = loss + nn.functional.cross_entropy(o, seq[t + 1:t + 2])
    opt.zero_grad(); (loss / 25).backward(); opt.step()
