import torch
from torch import nn


class CharModel(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, 8)
        self.lstm = nn.LSTM(8, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, vocab)
        self.hidden = None

    def forward(self, idx):
        if self.hidden is not None:  #+
            self.hidden = tuple(h.detach() for h in self.hidden)  #+
        out, self.hidden = self.lstm(self.emb(idx), self.hidden)  #!
        return self.fc(out)


torch.manual_seed(0)
text = "hello world, hello doctor. " * 60
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])
model = CharModel(len(chars), 24)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
T, B = 20, 4
streams = data[: len(data) // B * B].view(B, -1)
for t in range(0, streams.size(1) - T - 1, T):
    x, y = streams[:, t : t + T], streams[:, t + 1 : t + T + 1]
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
