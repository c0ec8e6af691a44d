import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, steps):
        self.model, self.steps = model, steps
        self.opt = torch.optim.SGD(model.parameters(), lr=0.02)

    def backward(self, loss):
        loss = loss * (1 / self.steps)  #+
        loss.backward()  #!

    def fit(self, batches):
        for i, (x, y) in enumerate(batches):
            self.backward(F.l1_loss(self.model(x), y))
            if i % self.steps == self.steps - 1:
                self.opt.step()
                self.opt.zero_grad(set_to_none=True)


torch.manual_seed(0)
inputs = torch.randn(20, 8, 3)
Trainer(torch.nn.Linear(3, 1), 2).fit([(x, x.mean(1, keepdim=True)) for x in inputs])
