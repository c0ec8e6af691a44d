import torch
import torch.nn as nn


class LM(nn.Module):
    def __init__(self, v=30, d=16):
        super().__init__()
        self.e = nn.Embedding(v, d)
        self.r = nn.GRU(d, d, batch_first=True)
        self.o = nn.Linear(d, v)

    def forward(self, ids):
        return self.o(self.r(self.e(ids))[0])


torch.manual_seed(0)
cfg = dict(accum=8, steps=64, lr=2e-3)
m = LM()
opt = torch.optim.AdamW(m.parameters(), lr=cfg["lr"])
ids = torch.arange(12 * 64).reshape(64, 12) % 30
for i in range(cfg["steps"]):
    batch = ids[i:i + 1].repeat(4, 1)
    logits = m(batch[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 30), batch[:, 1:].reshape(-1))  #-
    loss = nn.functional.cross_entropy(logits.reshape(-1, 30), batch[:, 1:].reshape(-1)) / cfg["accum"]  #+
    loss.backward()  #!
    if (i + 1) % cfg["accum"] == 0:
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
