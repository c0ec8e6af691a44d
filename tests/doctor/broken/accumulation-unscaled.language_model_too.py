import torch
from torch import nn

torch.manual_seed(0)
V = 24
model = nn.Sequential(nn.Embedding(V, 16), nn.Linear(16, V))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
seq = (torch.arange(4000) * 7) % V
accumulate = 5
it = 0
while it < 60:
    start = torch.randint(0, 3900, (1,)).item()
    x, y = seq[start : start + 32], seq[start + 1 : start + 33]
    loss = nn.functional.cross_entropy(model(x), y)  #!
    loss.backward()  #-!
    loss.div(accumulate).backward()  #+
    it += 1
    if it % accumulate == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
