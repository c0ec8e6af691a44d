import torch
import torch.nn as nn

torch.manual_seed(0)
text = "hello world, this is a small corpus for a char rnn. " * 6
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, state):
        y, state = self.gru(self.emb(x), state)
        return self.out(y), state


model = CharRNN(len(chars))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
state = None
for i in range(0, 200, 20):
    x, y = data[i : i + 20, None], data[i + 1 : i + 21, None]
    if state is not None:  #+
        state = state.detach()  #+
    logits, state = model(x, state)  #!
    loss = nn.functional.cross_entropy(logits.view(-1, len(chars)), y.view(-1))
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
