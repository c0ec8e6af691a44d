import torch
from torch import nn

torch.manual_seed(0)
text = "to be or not to be that is the question whether tis nobler " * 12
vocab = sorted(set(text))
ids = torch.tensor([vocab.index(c) for c in text])


class CharLM(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.e, self.g, self.o = nn.Embedding(n, 12), nn.GRU(12, 32, batch_first=True), nn.Linear(32, n)

    def forward(self, x, targets=None):
        logits = self.o(self.g(self.e(x))[0])
        if targets is None:
            return logits, None
        loss = nn.functional.cross_entropy(logits[:, :-1].reshape(-1, logits.size(-1)), targets[:, 1:].reshape(-1))  #-!
        loss = nn.functional.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))  #+
        return logits, loss


lm = CharLM(len(vocab))
opt = torch.optim.Adam(lm.parameters(), lr=5e-3)
for _ in range(30):
    start = torch.randint(0, len(ids) - 33, (8,))
    x = torch.stack([ids[s : s + 32] for s in start])
    y = torch.stack([ids[s + 1 : s + 33] for s in start])
    _, loss = lm(x, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
