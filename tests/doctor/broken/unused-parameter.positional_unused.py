import torch
from torch import nn


class TinyGPT(nn.Module):
    def __init__(self, vocab=30, d=16, block=12):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Embedding(block, d)  #!
        self.attn = nn.MultiheadAttention(d, 2, batch_first=True)
        self.ln = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocab)

    def forward(self, idx):
        n = idx.shape[1]
        x = self.tok(idx)  #-
        x = self.tok(idx) + self.pos(torch.arange(n))  #+
        mask = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
        a, _ = self.attn(x, x, x, attn_mask=mask, need_weights=False)
        return self.head(self.ln(x + a))


torch.manual_seed(0)
model = TinyGPT()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
for _ in range(15):
    t = torch.randint(0, 30, (4, 13))
    logits = model(t[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 30), t[:, 1:].reshape(-1))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
