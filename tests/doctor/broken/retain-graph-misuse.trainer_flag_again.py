import torch
from torch import nn


class Trainer:
    def __init__(self, model, optimizer, retain=True):
        self.model, self.optimizer = model, optimizer

    def _backward(self, loss):
        loss.backward(retain_graph=True)  #-!
        loss.backward()  #+

    def run(self, batches):
        for x, y in batches:
            self.optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(self.model(x), y)
            self._backward(loss)  #!
            self.optimizer.step()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
batches = [(torch.randn(16, 4), torch.rand(16, 1).round()) for _ in range(15)]
Trainer(net, torch.optim.SGD(net.parameters(), lr=0.1)).run(batches)
