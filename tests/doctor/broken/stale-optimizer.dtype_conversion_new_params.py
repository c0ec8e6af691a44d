import torch
from torch import nn

torch.manual_seed(0)


def build(width):
    return nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1))


class Experiment:
    def setup(self):
        self.model = build(8)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)  #!

    def widen(self, width):
        self.model = build(width)  #!
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)  #+

    def run(self, n):
        for _ in range(n):
            x = torch.randn(40, 3)
            loss = nn.functional.mse_loss(self.model(x), x.sum(1, keepdim=True))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


e = Experiment()
e.setup()
e.widen(16)
e.run(30)
