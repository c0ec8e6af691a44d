import torch
from torch import nn


class Module_(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
        self.opt = torch.optim.Adam(self.parameters(), lr=3e-3)

    def manual_backward(self, loss):
        loss.backward(retain_graph=True)  #-!
        loss.backward()  #+

    def training_step(self, batch):
        x, y = batch["x"], batch["y"]
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.opt.zero_grad()
        self.manual_backward(loss)
        self.opt.step()


torch.manual_seed(0)
m = Module_()
for _ in range(30):
    x = torch.randn(20, 8)
    m.training_step({"x": x, "y": x[:, :4].argmax(1)})
