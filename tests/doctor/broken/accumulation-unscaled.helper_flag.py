import torch
import torch.nn as nn


class Accumulator:
    def __init__(self, optimizer, every):
        self.optimizer, self.every, self.count = optimizer, every, 0

    def backward(self, loss):
        loss = loss / self.every  #+
        loss.backward()  #!
        self.count += 1
        if self.count % self.every == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()


torch.manual_seed(0)
ae = nn.Sequential(nn.Linear(20, 5), nn.ReLU(), nn.Linear(5, 20))
acc = Accumulator(torch.optim.Adam(ae.parameters(), 1e-3), 4)
for _ in range(60):
    x = torch.rand(6, 20)
    acc.backward(((ae(x) - x) ** 2).mean())
