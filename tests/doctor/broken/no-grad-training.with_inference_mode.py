import torch
import torch.nn as nn
class Learner:
    def __init__(self):
        torch.manual_seed(0)
        self.model = nn.Linear(4, 1)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)
    def features(self, x):
        with torch.inference_mode():  #-!
            return self.model(x)  #-
        return self.model(x)  #+
    def fit(self, x, y, steps=20):
        for _ in range(steps):
            self.opt.zero_grad()
            loss = (self.features(x) - y).pow(2).mean()
            loss.backward()  #-!
            loss.backward()  #+
            self.opt.step()
x = torch.randn(32, 4)
Learner().fit(x, x.sum(1, keepdim=True))
