import torch
import torch.nn as nn


class Progress:
    def __init__(self, it):
        self.it = it
        self.history = []

    def __iter__(self):
        yield from self.it

    def set_postfix(self, **kw):
        self.history.append(kw)  #!


torch.manual_seed(0)
model = nn.Sequential(nn.Conv1d(2, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 3))
opt = torch.optim.Adam(model.parameters())
bar = Progress(range(50))
for step in bar:
    x = torch.randn(16, 2, 8)
    y = x[:, 0, :3].argmax(1)
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
    bar.set_postfix(loss=loss)  #-!
    bar.set_postfix(loss=loss.item())  #+
