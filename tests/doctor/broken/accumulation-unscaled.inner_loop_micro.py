import torch
import torch.nn as nn
class Trainer:
    def __init__(self, model, micro=8, accum=8):
        self.model, self.micro, self.accum = model, micro, accum
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.crit = nn.MSELoss()
    def train_batch(self, x, y):
        self.opt.zero_grad()
        for xs, ys in zip(x.split(self.micro), y.split(self.micro)):
            loss = self.crit(self.model(xs), ys)  #-!
            loss = self.crit(self.model(xs), ys) / self.accum  #+
            loss.backward()  #-!
            loss.backward()  #+
        self.opt.step()
torch.manual_seed(0)
t = Trainer(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)))
for b in range(15):
    x = torch.randn(64, 6)
    t.train_batch(x, x.prod(1, keepdim=True))
