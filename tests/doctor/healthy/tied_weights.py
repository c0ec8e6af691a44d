import torch
import torch.nn as nn

torch.manual_seed(0)


class TinyLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 8)
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.out = nn.Linear(8, 12, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.out(h)


model = TinyLM()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(20):
    ids = torch.randint(0, 12, (8, 7))
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 12), ids[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
