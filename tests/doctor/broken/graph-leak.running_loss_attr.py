import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr=1e-2):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.running_loss = 0.0

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.opt.step()
        self.running_loss += loss  #-!
        self.running_loss += loss.item()  #+


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3)))
for i in range(40):
    trainer.step(torch.randn(8, 5), torch.randint(0, 3, (8,)))
print(float(trainer.running_loss) / 40)
