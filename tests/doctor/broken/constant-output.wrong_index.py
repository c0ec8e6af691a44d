import torch
from torch import nn

torch.manual_seed(0)


class Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8)
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.fc = nn.Linear(16, 2)

    def forward(self, ids):
        out, _ = self.rnn(self.emb(ids))  #!
        return self.fc(out[:, 0])  #-!
        return self.fc(out[:, -1])  #+


model = Seq()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(50):
    ids = torch.randint(1, 10, (32, 6))
    ids[:, 0] = 0  # <bos>
    y = (ids[:, 1:].float().mean(1) > 5).long()
    loss = nn.functional.cross_entropy(model(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
