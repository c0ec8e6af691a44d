import torch
import torch.nn as nn
class T:
    def __init__(self, model, k):
        self.model, self.k, self.n = model, k, 0
        self.opt = torch.optim.RMSprop(model.parameters(), 1e-3)
    def __call__(self, x, y):
        l = ((self.model(x) - y) ** 2).mean()  #!
        l = l * (1 / self.k)  #+
        l.backward()  #!
        self.n += 1
        if self.n % self.k == 0:
            self.opt.step()
            self.opt.zero_grad()
torch.manual_seed(0)
t = T(nn.Linear(4, 1), 4)
for i in range(40):
    x = torch.randn(16, 4)
    t(x, x.sum(1, keepdim=True))
