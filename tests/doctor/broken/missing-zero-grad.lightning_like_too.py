#= engine.py
class Engine:
    """a tiny lightning"""

    def __init__(self, max_epochs=3):
        self.max_epochs = max_epochs

    def fit(self, module, loader):
        optimizer = module.configure_optimizers()
        module.train()
        for epoch in range(self.max_epochs):
            for i, batch in enumerate(loader):
                loss = module.training_step(batch, i)
                loss.backward()  #!
                optimizer.step()  #!
                optimizer.zero_grad(set_to_none=True)  #+
            module.on_epoch_end(epoch)
#= main
import torch
from torch import nn
from engine import Engine


class LitSpirals(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.RMSprop(self.parameters(), lr=0.002)

    def on_epoch_end(self, epoch):
        pass


torch.manual_seed(0)
y = torch.arange(180) % 3
r = torch.rand(180)
phi = 3 * r + y * 2.1
x = torch.stack([r * phi.cos(), r * phi.sin()], 1)
order = torch.randperm(180)
loader = [(x[i], y[i]) for i in order.split(20)]
Engine().fit(LitSpirals(), loader)
