import torch
import torch.nn as nn

torch.manual_seed(0)
class CharRNN(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, h):
        o, h = self.rnn(self.emb(x), h)  #!
        return self.out(o), h

vocab = 12
data = torch.randint(0, vocab, (4, 401))
model = CharRNN(vocab, 24)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
h = torch.zeros(1, 4, 24)
for i in range(0, 400, 20):
    x, y = data[:, i:i + 20], data[:, i + 1:i + 21]
    h = h.detach()  #+
    logits, h = model(x, h)  #!
    loss = nn.functional.cross_entropy(logits.reshape(-1, vocab), y.reshape(-1))
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
