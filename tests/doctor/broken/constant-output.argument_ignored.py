import torch
from torch import nn


class Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.gru = nn.GRU(8, 8, batch_first=True)
        self.fc = nn.Linear(8, 3)

    def forward(self, ids):
        x = self.emb(torch.zeros_like(ids))  #-!
        x = self.emb(ids)  #+
        return self.fc(self.gru(x)[0][:, -1])


torch.manual_seed(0)
m = Seq()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for _ in range(40):
    ids = torch.randint(0, 20, (32, 6))
    loss = nn.functional.cross_entropy(m(ids), ids[:, -1] % 3)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
