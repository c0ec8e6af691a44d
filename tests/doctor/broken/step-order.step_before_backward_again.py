import torch
import torch.nn as nn
class Lightning:
    def configure_optimizers(self):
        return torch.optim.SGD(self.net.parameters(), lr=0.1)
    def __init__(self):
        self.net = nn.Linear(5, 1)
    def training_step(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)
class Trainer:
    def fit(self, module, batches):
        opt = module.configure_optimizers()
        for b in batches:
            opt.zero_grad()
            loss = module.training_step(b)
            opt.step()  #-!
            loss.backward()
            opt.step()  #+
torch.manual_seed(0)
data = []
for _ in range(30):
    x = torch.randn(16, 5)
    data.append((x, x.sum(1, keepdim=True)))
Trainer().fit(Lightning(), data)
