import torch
import torch.nn as nn
def batches():
    while True:
        x = torch.randn(8, 6)
        yield x, (x[:, 0] > 0).long()
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 2))
opt = torch.optim.SGD(m.parameters(), lr=0.05)
it = batches()
GRAD_ACC = 3
for step in range(20):
    opt.zero_grad(set_to_none=True)
    for micro in range(GRAD_ACC):
        x, y = next(it)
        logits = m(x)
        loss = nn.functional.cross_entropy(logits, y)  #-!
        loss = nn.functional.cross_entropy(logits, y) / GRAD_ACC  #+
        loss.backward()  #-!
        loss.backward()  #+
    nn.utils.clip_grad_norm_(m.parameters(), 1.0)
    opt.step()
