import torch
from torch import nn


class CharModel(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)
        self.hidden = None

    def forward(self, x):
        if self.hidden is not None:  #+
            self.hidden = tuple(h.detach() for h in self.hidden)  #+
        y, self.hidden = self.lstm(self.embed(x), self.hidden)  #!
        return self.out(y)


torch.manual_seed(0)
model = CharModel(12, 16)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
text = torch.arange(400) % 12
for i in range(0, 160, 10):
    x = text[i : i + 10].view(1, -1)
    y = text[i + 1 : i + 11].view(1, -1)
    loss = nn.functional.cross_entropy(model(x).view(-1, 12), y.view(-1))
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-!
    loss.backward()  #+
    opt.step()
