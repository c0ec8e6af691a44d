import torch
from torch import nn

torch.manual_seed(0)


class CharLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(12, 16)
        self.gru = nn.GRU(16, 16, batch_first=True)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(16, 12)

    def forward(self, x):
        return self.out(self.drop(self.gru(self.emb(x))[0]))

    def generate(self, n):
        self.eval()  #!
        ids = torch.zeros(1, 1, dtype=torch.long)
        with torch.no_grad():
            for _ in range(n):
                ids = torch.cat([ids, self(ids)[:, -1:].argmax(-1)], 1)
        self.train()  #+
        return ids


lm = CharLM()
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)
for epoch in range(5):
    for _ in range(4):
        s = (torch.randint(0, 12, (8, 1)) + torch.arange(9)) % 12
        loss = nn.functional.cross_entropy(lm(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten())  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
    lm.generate(5)
