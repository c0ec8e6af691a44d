import torch
from torch import nn

torch.manual_seed(0)
V = 15
stream = torch.cumsum(torch.randint(1, 4, (4000,)), 0) % V


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.l, self.o = nn.Embedding(V, 16), nn.LSTM(16, 24, batch_first=True), nn.Linear(24, V)

    def forward(self, x):
        return self.o(self.l(self.e(x))[0])

    def loss(self, x, labels):
        logits = self(x)
        shifted, labels = logits[:, :-1], labels[:, 1:]  #-!
        shifted = logits  #+
        return nn.functional.cross_entropy(shifted.reshape(-1, V), labels.reshape(-1))  #!


m = Model()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for it in range(40):
    s = torch.randint(0, 3900, (8,))
    x = torch.stack([stream[i : i + 20] for i in s])
    y = torch.stack([stream[i + 1 : i + 21] for i in s])
    loss = m.loss(x, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
