import torch
from torch import nn


class TinyGPT(nn.Module):
    def __init__(self, vocab=11, dim=16, ctx=12):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(ctx, dim)
        self.layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def forward(self, x):
        T = x.size(1)
        h = self.tok(x) + self.pos(torch.arange(T))
        h = self.layer(h)  #-!
        mask = nn.Transformer.generate_square_subsequent_mask(T)  #+
        h = self.layer(h, src_mask=mask)  #+
        return self.head(h)


torch.manual_seed(0)
net = TinyGPT()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for _ in range(40):
    seq = torch.cumsum(torch.randint(1, 3, (16, 13)), 1) % 11
    logits = net(seq[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
