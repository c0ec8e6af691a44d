import torch
import torch.nn.functional as F


class Lit:
    def __init__(self):
        self.net = torch.nn.Linear(4, 1)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def training_step(self, batch):
        x, y = batch
        return F.mse_loss(self.net(x), y)


class Trainer:
    def __init__(self, max_steps):
        self.max_steps = max_steps

    def fit(self, lit, batches):
        for n, batch in enumerate(batches):
            if n >= self.max_steps:
                break
            with torch.inference_mode():  #-!
                loss = lit.training_step(batch)  #-!
            loss = lit.training_step(batch)  #+
            lit.opt.zero_grad()
            loss.backward()
            lit.opt.step()


torch.manual_seed(0)
xs = torch.randn(10, 8, 4)
Trainer(10).fit(Lit(), [(x, x.mean(1, keepdim=True)) for x in xs])
