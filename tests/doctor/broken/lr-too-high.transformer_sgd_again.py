import torch
from torch import nn

torch.manual_seed(0)


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(12, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.out = nn.Linear(16, 12)

    def forward(self, x):
        return self.out(self.layer(self.emb(x)))


model = Tiny()
opt = torch.optim.SGD(model.parameters(), lr=30.0)  #-!
opt = torch.optim.SGD(model.parameters(), lr=0.1)  #+
for i in range(30):
    x = torch.randint(0, 12, (16, 6))
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), x.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
