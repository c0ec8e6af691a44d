import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, v=16, d=12):
        super().__init__()
        self.e = nn.Embedding(v, d)
        self.r = nn.GRU(d, d, batch_first=True)
        self.o = nn.Linear(d, v)

    def forward(self, ids):
        return self.o(self.r(self.e(ids))[0])


def loss_of(model, ids):
    logits = model(ids[:, :-1])
    return nn.functional.cross_entropy(logits.reshape(-1, 16), ids[:, 1:].reshape(-1))


torch.manual_seed(0)
model = LM()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
grad_accum = 2
step = 0
while step < 10:
    for micro in range(grad_accum):
        ids = (torch.arange(9) + torch.randint(0, 16, (4, 1))) % 16
        loss = loss_of(model, ids)
        loss = loss * (1.0 / grad_accum)  #+
        loss.backward()  #!
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    opt.zero_grad(set_to_none=True)
    step += 1
