import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, v=20, h=24):
        super().__init__()
        self.emb = nn.Embedding(v, 8)
        self.cell = nn.RNNCell(8, h)
        self.out = nn.Linear(h, v)

    def forward(self, tokens, h):
        logits = []
        for t in range(tokens.size(1)):
            h = self.cell(self.emb(tokens[:, t]), h)  #!
            logits.append(self.out(h))
        return torch.stack(logits, 1), h


torch.manual_seed(0)
text = torch.randint(0, 20, (8, 401))
model = CharRNN()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
h = torch.zeros(8, 24)
for i in range(0, 200, 10):
    x, y = text[:, i:i + 10], text[:, i + 1:i + 11]
    logits, h = model(x, h)  #!
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
    h = h.detach()  #+
