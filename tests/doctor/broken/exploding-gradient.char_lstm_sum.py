import torch
from torch import nn

torch.manual_seed(0)


class MulRNN(nn.Module):
    def __init__(self, vocab=12, h=20):
        super().__init__()
        self.emb = nn.Embedding(vocab, h)
        self.rec = nn.Linear(h, h)
        self.out = nn.Linear(h, vocab)
        with torch.no_grad():  #-
            self.rec.weight.mul_(5)  #-!

    def forward(self, ids):
        h = torch.zeros(ids.size(0), 20)
        outs = []
        for t in range(ids.size(1)):
            h = torch.relu(self.rec(h) + self.emb(ids[:, t]))  #!
            outs.append(self.out(h))
        return torch.stack(outs, 1)


model = MulRNN()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    ids = torch.randint(0, 12, (8, 25))
    loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()  #!
    opt.step()  #!
