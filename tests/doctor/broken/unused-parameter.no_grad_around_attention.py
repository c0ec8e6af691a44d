import torch
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.ff = nn.Linear(d, d)

    def forward(self, x):
        with torch.no_grad():  #-!
            att = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2) / 4, -1)  #-!
        att = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2) / 4, -1)  #+
        return self.ff(x + att @ self.v(x))


embed, block, head = nn.Embedding(11, 16), Block(), nn.Linear(16, 11)
params = list(embed.parameters()) + list(block.parameters()) + list(head.parameters())
opt = torch.optim.AdamW(params, lr=1e-3)
for step in range(10):
    seq = torch.randint(0, 11, (8, 9))
    logits = head(block(embed(seq[:, :-1])))
    loss = nn.functional.cross_entropy(logits.reshape(-1, 11), (seq[:, :-1] + 1).reshape(-1) % 11)
    opt.zero_grad()
    loss.backward()
    opt.step()
