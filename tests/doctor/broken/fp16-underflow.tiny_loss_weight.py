import torch
from torch import nn


class HalfTrainer:
    def __init__(self):
        self.enc = nn.Linear(20, 40).half()  #-!
        self.dec = nn.Linear(40, 20).half()  #-!
        self.enc = nn.Linear(20, 40)  #+
        self.dec = nn.Linear(40, 20)  #+
        self.opt = torch.optim.SGD([*self.enc.parameters(), *self.dec.parameters()], lr=1.0)

    def step(self, x):
        rec = self.dec(torch.tanh(self.enc(x)))
        loss = nn.functional.mse_loss(rec, x) * 1e-6
        self.opt.zero_grad()
        loss.backward()  #!
        self.opt.step()


torch.manual_seed(0)
t = HalfTrainer()
for _ in range(15):
    x = torch.randn(64, 20)
    x = x.half()  #-
    t.step(x)
