import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
V, T = 20, 16
data = torch.randint(0, V, (2000,))
for i in range(1, 2000):
    if i % 3:
        data[i] = (data[i - 1] * 3 + 1) % V


def get_batch(n=16):
    ix = torch.randint(0, 2000 - T - 1, (n,))
    x = torch.stack([data[i : i + T] for i in ix])
    y = torch.stack([data[i + 1 : i + T + 1] for i in ix])
    return x, y


class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(V, 24), nn.Linear(24, V)

    def forward(self, x, y):
        logits = self.out(self.emb(x))
        logits, y = logits[:, :-1], y[:, 1:]  #-!
        return F.cross_entropy(logits.reshape(-1, V), y.reshape(-1))  #!


net = Bigram()
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
for it in range(50):
    loss = net(*get_batch())
    opt.zero_grad()
    loss.backward()
    opt.step()
