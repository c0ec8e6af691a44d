import torch
from torch import nn


class Callbacks:
    def __init__(self, *fns):
        self.fns = fns

    def on_epoch_end(self, model):
        for fn in self.fns:
            fn(model)


def sample_predictions(model):
    model.eval()  #!
    with torch.no_grad():
        print(model(torch.ones(2, 6)).tolist())
    model.train()  #+


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
cb = Callbacks(sample_predictions)
for epoch in range(6):
    for _ in range(5):
        x = torch.randn(24, 6)
        loss = (model(x) - x[:, :1]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    cb.on_epoch_end(model)
